"""How much of some opportunities every node of the roads reaches within some limits."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
    QgsProcessingParameterVectorDestination,
)

from .base import OUTPUT, Algorithm

_PLACES, _WITHIN, _NEAREST = "PLACES", "WITHIN", "NEAREST"


class Access(Algorithm):
    """``wayfront access``."""

    ID, TITLE = "access", "Access to opportunities"
    HELP = (
        "Counts for every node of the roads the opportunities, such as shops or jobs, that it reaches within some "
        "limits (metres for the shortest ways, seconds for the fastest), by their weights, and how far the nearest "
        "ones are."
    )

    def initAlgorithm(self, configuration=None):
        """Declare the parameters."""
        self.add_roads()
        self.add_points(_PLACES, "Opportunities", weighted=True)
        self.addParameter(QgsProcessingParameterString(_WITHIN, "Limits, in metres or seconds", "500,1000"))
        self.addParameter(
            QgsProcessingParameterNumber(
                _NEAREST, "Distance to so many nearest ones", QgsProcessingParameterNumber.Integer, 1, minValue=0
            )
        )
        self.addParameter(QgsProcessingParameterVectorDestination(OUTPUT, "Access", QgsProcessing.TypeVectorPoint))

    def processAlgorithm(self, parameters, context, feedback):
        """Run it."""
        limits = self.limits(parameters, _WITHIN, context)
        arguments = ["access", self.roads_file(parameters, context, feedback)]
        arguments += ["--places", self.points_file(parameters, _PLACES, context, feedback)]
        arguments += ["--within", limits, "--metric", self.metric(parameters, context)]
        arguments += self.limit(parameters, context)
        count = self.parameterAsInt(parameters, _NEAREST, context)
        arguments += ["--nearest", str(count)] if count else []
        return self.run_program(arguments, parameters, context, feedback)
