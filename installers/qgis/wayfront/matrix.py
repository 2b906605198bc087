"""Distances from every origin to every destination, as a table."""

from qgis.core import QgsProcessing, QgsProcessingParameterVectorDestination

from .base import OUTPUT, Algorithm

_ORIGINS, _DESTINATIONS = "ORIGINS", "DESTINATIONS"


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
        return self.run_program(arguments, parameters, context, feedback)
