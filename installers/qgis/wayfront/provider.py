"""The add-on, and the provider of its algorithms with its one setting."""

import os

from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import QgsApplication, QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .access import Access
from .matrix import Matrix
from .nearest import Nearest
from .program import SETTING
from .service_areas import ServiceAreas

_NAME = "Wayfront"


class Plugin:
    """What QGIS loads: it registers the provider, and takes it away again."""

    def __init__(self):
        self._provider = None

    def initProcessing(self):
        """Register the provider; all that happens where QGIS runs without a window."""
        self._provider = Provider()
        QgsApplication.processingRegistry().addProvider(self._provider)

    def initGui(self):
        """Register the provider in a window."""
        self.initProcessing()

    def unload(self):
        """Take the provider away."""
        QgsApplication.processingRegistry().removeProvider(self._provider)


class Provider(QgsProcessingProvider):
    """The algorithms of wayfront."""

    def id(self):
        """Return the first part of the algorithms' names."""
        return "wayfront"

    def name(self):
        """Return what the toolbox calls it."""
        return _NAME

    def icon(self):
        """Return the program's icon."""
        path = os.path.join(os.path.dirname(__file__), "wayfront.svg")  # which only the packed add-on has
        return QIcon(path) if os.path.isfile(path) else super().icon()

    def load(self):
        """Offer the setting, and the algorithms."""
        ProcessingConfig.settingIcons[_NAME] = self.icon()
        ProcessingConfig.addSetting(
            Setting(_NAME, SETTING, "The program wayfront, where it is not on the search path", "", Setting.FILE)
        )
        ProcessingConfig.readSettings()
        self.refreshAlgorithms()
        return True

    def unload(self):
        """Take the setting away."""
        ProcessingConfig.removeSetting(SETTING)

    def loadAlgorithms(self):
        """Add all algorithms."""
        for kind in (Matrix, ServiceAreas, Nearest, Access):
            self.addAlgorithm(kind())

    def supportsNonFileBasedOutput(self):
        """Return False: the program writes files."""
        return False

    def supportedOutputVectorLayerExtensions(self):
        """Return GeoPackage, which may hold tables, points, lines and areas."""
        return ["gpkg"]

    def supportedOutputTableExtensions(self):
        """Return what tables without geometry are written as."""
        return ["csv"]

    def defaultVectorFileExtension(self, hasGeometry=True):
        """Return how an output is written where nothing else is said."""
        return "gpkg" if hasGeometry else "csv"
