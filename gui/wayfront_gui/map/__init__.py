"""The map in Qt: the view, the item that paints a scene, pictures without a window."""
