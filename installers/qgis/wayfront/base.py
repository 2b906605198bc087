"""What the algorithms have in common: roads as a layer or a file, points, the quantity, and the program's files."""

import os

from qgis.core import (
    QgsFeature,
    QgsFeatureRequest,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
    QgsProcessingUtils,
    QgsVectorFileWriter,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QVariant

from .program import run

LAYER, FILE = "NETWORK", "NETWORK_FILE"
STRATEGY = "STRATEGY"
DIRECTION, FORWARD, BACKWARD, BOTH = "DIRECTION_FIELD", "VALUE_FORWARD", "VALUE_BACKWARD", "VALUE_BOTH"
DEFAULT_DIRECTION, SPEED, DEFAULT_SPEED = "DEFAULT_DIRECTION", "SPEED_FIELD", "DEFAULT_SPEED"
LIMIT = "LIMIT"
OUTPUT = "OUTPUT"
"""The names of parameters that QGIS' own network analysis has are the same here."""

METRICS = ("length", "travel time")
_ONEWAY = ("yes", "-1", "no")
_NETWORKS = "Road networks (*.pbf *.osm *.osm.gz *.osm.bz2 *.gpkg *.geojson *.graphml *.gr *.gr.gz *.csv *.wayfront)"


class Algorithm(QgsProcessingAlgorithm):
    """An algorithm of the program. Its parameters come from ``roads`` and its own; ``processAlgorithm`` runs it."""

    ID, TITLE, HELP = "", "", ""

    def createInstance(self):
        """Return another one."""
        return type(self)()

    def name(self):
        """Return the second part of its name."""
        return self.ID

    def displayName(self):
        """Return what the toolbox shows."""
        return self.TITLE

    def shortHelpString(self):
        """Return what the dialog explains."""
        return self.HELP

    def add_roads(self):
        """Add the parameters of the roads: a layer of lines or a file, and what the layer's fields mean."""
        self.addParameter(
            QgsProcessingParameterFeatureSource(
                LAYER, "Roads, a layer of lines", [QgsProcessing.TypeVectorLine], optional=True
            )
        )
        self.addParameter(
            QgsProcessingParameterFile(FILE, "or a file of roads (OpenStreetMap)", fileFilter=_NETWORKS, optional=True)
        )
        self.addParameter(QgsProcessingParameterEnum(STRATEGY, "Ways are", ["Shortest", "Fastest"], defaultValue=0))
        self.addParameter(
            QgsProcessingParameterNumber(
                LIMIT,
                "Points farther than this from every road are left out (m)",
                QgsProcessingParameterNumber.Double,
                500.0,
                minValue=0.0,
            )
        )
        for parameter in (
            QgsProcessingParameterField(DIRECTION, "Direction field of the layer", None, LAYER, optional=True),
            QgsProcessingParameterString(FORWARD, "Value for forward direction", "yes", optional=True),
            QgsProcessingParameterString(BACKWARD, "Value for backward direction", "-1", optional=True),
            QgsProcessingParameterString(BOTH, "Value for both directions", "no", optional=True),
            QgsProcessingParameterEnum(
                DEFAULT_DIRECTION,
                "Direction otherwise",
                ["Forward direction", "Backward direction", "Both directions"],
                defaultValue=2,
            ),
            QgsProcessingParameterField(
                SPEED,
                "Speed field of the layer (km/h)",
                None,
                LAYER,
                QgsProcessingParameterField.Numeric,
                optional=True,
            ),
            QgsProcessingParameterNumber(
                DEFAULT_SPEED, "Speed otherwise (km/h)", QgsProcessingParameterNumber.Double, 50.0, minValue=1.0
            ),
        ):
            parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
            self.addParameter(parameter)

    def add_points(self, name, title, *, weighted=False):
        """Add the parameters of a layer of points: the layer, the field of its ids, and that of weights."""
        kinds = [QgsProcessing.TypeVectorAnyGeometry]
        self.addParameter(QgsProcessingParameterFeatureSource(name, title, kinds))
        self.addParameter(QgsProcessingParameterField(f"{name}_ID", "Field of their ids", None, name, optional=True))
        if weighted:
            self.addParameter(
                QgsProcessingParameterField(
                    f"{name}_WEIGHT",
                    "Field of their weights",
                    None,
                    name,
                    QgsProcessingParameterField.Numeric,
                    optional=True,
                )
            )

    # ------------------------------------------------------------------------------------------- running

    def checkParameterValues(self, parameters, context):
        """Refuse roads that are neither a layer nor a file, before anything runs."""
        given = [bool(parameters.get(name)) for name in (LAYER, FILE)]
        if sum(given) != 1:
            return False, "Choose either a layer of lines or a file of roads."
        return super().checkParameterValues(parameters, context)

    def metric(self, parameters, context):
        """Return the quantity of which ways have least."""
        return METRICS[self.parameterAsEnum(parameters, STRATEGY, context)]

    def limits(self, parameters, name, context):
        """Return the limits that users wrote, each with the quantity's unit. Refuse what is no number."""
        given = self.parameterAsString(parameters, name, context)
        limits = [text.strip() for text in given.replace(";", ",").split(",") if text.strip()]
        try:
            list(map(float, limits))
        except ValueError:
            raise QgsProcessingException(f"limits are numbers with commas between them, not {given!r}") from None
        unit = "m" if self.metric(parameters, context) == METRICS[0] else "s"
        return ",".join(f"{limit}{unit}" for limit in limits)

    def limit(self, parameters, context):
        """Return the arguments that say how far points may be from a road."""
        return ["--limit", f"{self.parameterAsDouble(parameters, LIMIT, context):g}"]

    def roads_file(self, parameters, context, feedback):
        """Return a file with the roads: the one that was named, or one that the layer is written to."""
        source = self.parameterAsSource(parameters, LAYER, context)
        if source is None:
            return self.parameterAsFile(parameters, FILE, context)
        fields = source.fields()
        indices = [fields.lookupField(self.parameterAsString(parameters, name, context)) for name in (DIRECTION, SPEED)]
        values = [self.parameterAsString(parameters, name, context) for name in (FORWARD, BACKWARD, BOTH)]
        directions = {value: tag for value, tag in zip(values, _ONEWAY) if value}
        otherwise = _ONEWAY[self.parameterAsEnum(parameters, DEFAULT_DIRECTION, context)]
        speed = self.parameterAsDouble(parameters, DEFAULT_SPEED, context)

        def tags(feature):
            direction, allowed = (feature[index] if index >= 0 else None for index in indices)
            known = directions.get(_text(direction), otherwise)
            return [known, float(allowed) if _text(allowed) and float(allowed) > 0 else speed]

        columns = [QgsField("oneway", QVariant.String), QgsField("maxspeed", QVariant.Double)]
        request = QgsFeatureRequest().setSubsetOfAttributes([index for index in indices if index >= 0])
        return _write(source, "roads", columns, tags, request, context, feedback)

    def points_file(self, parameters, name, context, feedback):
        """Return a file with the points of a layer, their ids, and their weights."""
        source = self.parameterAsSource(parameters, name, context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, name))
        if not source.featureCount():
            raise QgsProcessingException(f"{source.sourceName()} has no features, so there are no points")
        fields = source.fields()
        identity = fields.lookupField(self.parameterAsString(parameters, f"{name}_ID", context))
        weight = -1
        if self.parameterDefinition(f"{name}_WEIGHT") is not None:
            weight = fields.lookupField(self.parameterAsString(parameters, f"{name}_WEIGHT", context))

        def columns_of(feature):
            found = [feature[identity] if identity >= 0 else feature.id()]
            return [*found, feature[weight]] if weight >= 0 else found

        kind = fields[identity].type() if identity >= 0 else QVariant.LongLong
        columns = [QgsField("id", kind)] + ([QgsField("weight", QVariant.Double)] if weight >= 0 else [])
        request = QgsFeatureRequest().setSubsetOfAttributes([index for index in (identity, weight) if index >= 0])
        return _write(source, "points", columns, columns_of, request, context, feedback)

    def run_program(self, arguments, parameters, context, feedback):
        """Run the program so that it writes the output; return what QGIS loads, nothing where it was cancelled."""
        path = self.parameterAsOutputLayer(parameters, OUTPUT, context)
        if os.path.exists(path):
            os.remove(path)  # the user has agreed to that in the dialog
        run([*arguments, "--output", path], feedback)
        return {} if feedback.isCanceled() else {OUTPUT: path}


def _text(value):
    """Return a value of a field as text, "" for none."""
    return "" if value is None or (isinstance(value, QVariant) and value.isNull()) else str(value)


def _write(source, name, columns, values, request, context, feedback):
    """Write features of a source with columns of our own to a temporary GeoPackage, and return its path."""
    path = QgsProcessingUtils.generateTempFilename(f"{name}.gpkg")
    fields = QgsFields()
    for column in columns:
        fields.append(column)
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.layerName = "GPKG", name
    kind = QgsWkbTypes.flatType(source.wkbType())
    writer = QgsVectorFileWriter.create(path, fields, kind, source.sourceCrs(), context.transformContext(), options)
    if writer.hasError() != QgsVectorFileWriter.NoError:
        raise QgsProcessingException(f"{path}: {writer.errorMessage()}")
    for feature in source.getFeatures(request):
        if feedback.isCanceled():
            break
        written = QgsFeature(fields)
        written.setGeometry(feature.geometry())
        written.setAttributes(values(feature))
        if not writer.addFeature(written, QgsFeatureSink.FastInsert):
            raise QgsProcessingException(f"{path}: {writer.errorMessage()}")
    del writer  # closes the file
    return path
