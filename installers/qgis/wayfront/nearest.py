"""Which of some places is nearest to every node of the roads, and the catchments of the places."""

from qgis.core import QgsProcessing, QgsProcessingParameterBoolean, QgsProcessingParameterVectorDestination

from .base import OUTPUT, Algorithm

_PLACES, _TOWARDS = "PLACES", "TOWARDS"


class Nearest(Algorithm):
    """``wayfront nearest``."""

    ID, TITLE = "nearest", "Catchments of the nearest places"
    HELP = (
        "Finds the nearest of some places for every node of the roads by one search, and draws each place's catchment, "
        "the land that is nearer to it than to any other."
    )

    def initAlgorithm(self, configuration=None):
        """Declare the parameters."""
        self.add_roads()
        self.add_points(_PLACES, "Places")
        self.addParameter(QgsProcessingParameterBoolean(_TOWARDS, "Towards the places", True))
        self.addParameter(
            QgsProcessingParameterVectorDestination(OUTPUT, "Catchments", QgsProcessing.TypeVectorPolygon)
        )

    def processAlgorithm(self, parameters, context, feedback):
        """Run it."""
        arguments = ["nearest", self.roads_file(parameters, context, feedback)]
        arguments += ["--places", self.points_file(parameters, _PLACES, context, feedback)]
        arguments += ["--metric", self.metric(parameters, context), *self.limit(parameters, context)]
        arguments += ["--towards"] if self.parameterAsBool(parameters, _TOWARDS, context) else []
        return self.run_program(arguments, parameters, context, feedback)
