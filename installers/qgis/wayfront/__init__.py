"""The Processing provider of wayfront for QGIS: an add-on of Python alone, which runs the program wayfront."""


def classFactory(iface):
    """Return the add-on; QGIS calls this when it loads it."""
    from .provider import Plugin

    return Plugin()
