"""What can be reached from points within some distances or times, as polygons with holes or as lines of road."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterString,
    QgsProcessingParameterVectorDestination,
)

from .base import OUTPUT, Algorithm

_POINTS, _CUTS, _FORM, _TOWARDS, _EACH = "POINTS", "CUTS", "FORM", "TOWARDS", "EACH"
_LINES = "roads"
"""The layer of the pieces of road in the file that the program writes."""


class ServiceAreas(Algorithm):
    """``wayfront isochrones``."""

    ID, TITLE = "serviceareas", "Service areas (isochrones)"
    HELP = (
        "Finds what can be reached from points within some limits: metres for the shortest ways, seconds for the "
        "fastest. As areas they follow the roads, with holes where nothing is reached; as lines they are the reached "
        "parts of the roads themselves."
    )

    def initAlgorithm(self, configuration=None):
        """Declare the parameters."""
        self.add_roads()
        self.add_points(_POINTS, "Points")
        self.addParameter(QgsProcessingParameterString(_CUTS, "Limits, in metres or seconds", "500,1000"))
        self.addParameter(QgsProcessingParameterEnum(_FORM, "As", ["Areas", "Lines of road"], defaultValue=0))
        self.addParameter(QgsProcessingParameterBoolean(_EACH, "For each point apart", False))
        self.addParameter(QgsProcessingParameterBoolean(_TOWARDS, "Towards the points", False))
        self.addParameter(
            QgsProcessingParameterVectorDestination(OUTPUT, "Service areas", QgsProcessing.TypeVectorAnyGeometry)
        )

    def processAlgorithm(self, parameters, context, feedback):
        """Run it."""
        limits = self.limits(parameters, _CUTS, context)
        arguments = ["isochrones", self.roads_file(parameters, context, feedback)]
        arguments += ["--places", self.points_file(parameters, _POINTS, context, feedback)]
        arguments += ["--cuts", limits, "--metric", self.metric(parameters, context)]
        arguments += self.limit(parameters, context)
        for option, name in (("--per-source", _EACH), ("--towards", _TOWARDS)):
            arguments += [option] if self.parameterAsBool(parameters, name, context) else []
        if self.parameterAsEnum(parameters, _FORM, context) == 0:
            return self.run_program(arguments, parameters, context, feedback)
        found = self.run_program([*arguments, "--lines"], parameters, context, feedback)
        return {name: f"{path}|layername={_LINES}" for name, path in found.items()}
