// The window onto the map: equal scales on both axes, pan, zoom about a pixel, and the whole map by default.
"use strict";
(() => {
  const MARGIN = { left: 46, right: 22, top: 44, bottom: 40 }; // pixels kept free for axis texts
  const DEEPEST = 5000; // the largest zoom, relative to the whole map

  Sbmds.makeCamera = () => {
    const camera = { width: 1, height: 1, x: 0, y: 0, scale: 1, home: null };

    const toPixel = (x, y) => [camera.width / 2 + (x - camera.x) * camera.scale, camera.height / 2 - (y - camera.y) * camera.scale];
    const toMap = (px, py) => [camera.x + (px - camera.width / 2) / camera.scale, camera.y - (py - camera.height / 2) / camera.scale];

    function fit() {
      const { low, high } = camera.home;
      const room = [camera.width - MARGIN.left - MARGIN.right, camera.height - MARGIN.top - MARGIN.bottom].map((side) => Math.max(20, side));
      camera.scale = fitScale(low, high, room);
      camera.x = (low[0] + high[0]) / 2 - (MARGIN.left - MARGIN.right) / 2 / camera.scale;
      camera.y = (low[1] + high[1]) / 2 - (MARGIN.bottom - MARGIN.top) / 2 / camera.scale;
      camera.homeScale = camera.scale;
    }

    function fitScale(low, high, room) {
      const scale = Math.min(room[0] / (high[0] - low[0]), room[1] / (high[1] - low[1]));
      return Number.isFinite(scale) && scale > 0 ? scale : 1;
    }

    return Object.assign(camera, {
      toPixel, toMap, fit,
      setHome: (low, high) => { camera.home = { low, high }; fit(); },
      resize: (width, height) => {
        const zoom = camera.homeScale ? camera.scale / camera.homeScale : 1;
        const [x, y] = [camera.x, camera.y];
        Object.assign(camera, { width, height });
        if (!camera.home) return;
        fit();
        if (zoom > 1.001) Object.assign(camera, { x, y, scale: zoom * camera.homeScale });
      },
      pan: (dx, dy) => { camera.x -= dx / camera.scale; camera.y += dy / camera.scale; },
      zoomAt: (px, py, factor) => {
        const scale = Math.min(DEEPEST * camera.homeScale, camera.scale * factor);
        if (scale <= camera.homeScale * 1.0001) return fit();
        const [x, y] = toMap(px, py);
        camera.scale = scale;
        const [newX, newY] = toMap(px, py);
        camera.x += x - newX;
        camera.y += y - newY;
      },
      zoom: () => camera.scale / camera.homeScale,
      isHome: () => camera.scale <= camera.homeScale * 1.001,
      centreOn: (x, y) => { camera.x = x; camera.y = y; },
      sees: (x, y) => {
        const [px, py] = toPixel(x, y);
        return px >= 0 && py >= 0 && px <= camera.width && py <= camera.height;
      },
    });
  };
})();
