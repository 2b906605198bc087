"""Distances from every origin to every destination, as a table."""

import os

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterVectorDestination,
    QgsProcessingUtils,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from .base import OUTPUT, Algorithm

_ORIGINS, _DESTINATIONS = "ORIGINS", "DESTINATIONS"
_TABLES = (".csv", ".parquet")
"""What the program writes of a matrix and QGIS reads; other tables are made of the first."""


class Matrix(Algorithm):
    """``wayfront matrix``."""

    ID, TITLE = "matrix", "Distance matrix"
    HELP = (
        "Finds the shortest or fastest way from every origin to every destination. The table has a row for each pair, "
        "with the ids of both; what no way leads to has no distance. Points are taken to the nearest place on a road."
    )

    def initAlgorithm(self, configuration=None):
        """Declare the parameters."""
        self.add_roads()
        self.add_points(_ORIGINS, "Origins")
        self.add_points(_DESTINATIONS, "Destinations")
        self.addParameter(QgsProcessingParameterVectorDestination(OUTPUT, "Matrix", QgsProcessing.TypeVector))

    def processAlgorithm(self, parameters, context, feedback):
        """Run it."""
        arguments = ["matrix", self.roads_file(parameters, context, feedback)]
        for option, name in (("--from", _ORIGINS), ("--to", _DESTINATIONS)):
            arguments += [option, self.points_file(parameters, name, context, feedback)]
        arguments += ["--metric", self.metric(parameters, context), *self.limit(parameters, context)]
        path = self.parameterAsOutputLayer(parameters, OUTPUT, context)
        if os.path.splitext(path)[1].lower() in _TABLES:
            return self.run_program(arguments, parameters, context, feedback)
        table = QgsProcessingUtils.generateTempFilename(f"matrix{_TABLES[0]}")
        self.run_program(arguments, {**parameters, OUTPUT: table}, context, feedback)
        if feedback.isCanceled():
            return {}
        _convert(table, path, context)
        return {OUTPUT: path}


def _convert(table, path, context):
    """Write a table in the format of a suffix, such as a GeoPackage."""
    layer = QgsVectorLayer(f"{table}|option:AUTODETECT_TYPE=YES", "matrix", "ogr")
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = QgsVectorFileWriter.driverForExtension(os.path.splitext(path)[1])
    options.layerName = "matrix"
    failed, why, *_ = QgsVectorFileWriter.writeAsVectorFormatV3(layer, path, context.transformContext(), options)
    if failed != QgsVectorFileWriter.NoError:
        raise QgsProcessingException(f"{path}: {why}")
