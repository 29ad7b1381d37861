// Hands on the map: pointing, dragging, pinching, the wheel and the keyboard.
"use strict";
(() => {
  const REACH = 14; // pixels from the pointer within which an object counts as meant
  const CLICK = 4; // pixels a click may wander
  const GESTURE = 350; // milliseconds without a wheel event that end a scroll of the page

  Sbmds.makeInteractive = (map, { onSelect }) => {
    const { stage, camera } = map;
    const pointers = new Map();
    let travelled = 0;
    let pinch = null;
    let pageScrolled = -Infinity;

    const local = (event) => {
      const box = stage.getBoundingClientRect();
      return [event.clientX - box.left - 1, event.clientY - box.top - 1];
    };
    const onButton = (event) => event.target.closest("button");

    stage.addEventListener("pointerdown", (event) => {
      if (onButton(event) || event.button > 0) return;
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, local(event));
      if (pointers.size === 1) travelled = 0;
      if (pointers.size === 2) pinch = spread();
    });
    stage.addEventListener("pointermove", (event) => {
      const at = local(event);
      const before = pointers.get(event.pointerId);
      if (!before) return onButton(event) ? map.hover(-1) : point(at);
      pointers.set(event.pointerId, at);
      travelled += Math.hypot(at[0] - before[0], at[1] - before[1]);
      if (pointers.size === 2) return pinchZoom();
      if (travelled < CLICK) return;
      stage.classList.add("dragging");
      camera.pan(at[0] - before[0], at[1] - before[1]);
      map.hover(-1);
      map.request();
    });
    const lift = (event) => {
      if (!pointers.delete(event.pointerId)) return;
      stage.classList.remove("dragging");
      pinch = null;
      if (event.type === "pointerup" && travelled < CLICK && !pointers.size) onSelect(map.nearest(...local(event), REACH));
    };
    stage.addEventListener("pointerup", lift);
    stage.addEventListener("pointercancel", lift);
    stage.addEventListener("pointerleave", () => map.hover(-1));

    function point(at) {
      const object = map.nearest(...at, REACH);
      stage.classList.toggle("pointing", object >= 0);
      map.hover(object);
    }

    const spread = () => {
      const [a, b] = [...pointers.values()];
      return { distance: Math.hypot(a[0] - b[0], a[1] - b[1]), centre: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
    };
    function pinchZoom() {
      const next = spread();
      camera.pan(next.centre[0] - pinch.centre[0], next.centre[1] - pinch.centre[1]);
      camera.zoomAt(...next.centre, next.distance / Math.max(1, pinch.distance));
      pinch = next;
      map.request();
    }

    // A scroll that began on the page goes on over the map, and scrolling down on the whole map scrolls the page.
    window.addEventListener("wheel", (event) => {
      const onMap = stage.contains(event.target);
      const passes = !event.ctrlKey && ((event.timeStamp - pageScrolled < GESTURE) || (camera.isHome() && event.deltaY > 0));
      if (!onMap || passes) { pageScrolled = event.timeStamp; return; }
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 18 : 1;
      camera.zoomAt(...local(event), Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018)));
      point(local(event));
      map.request();
    }, { passive: false });
    stage.addEventListener("dblclick", (event) => {
      if (!onButton(event)) zoom(2, local(event));
    });

    function zoom(factor, at = [camera.width / 2, camera.height / 2]) {
      camera.zoomAt(...at, factor);
      map.request();
    }
    function home() {
      camera.fit();
      map.request();
    }
    const pan = (dx, dy) => () => { camera.pan(dx * camera.width / 8, dy * camera.height / 8); map.request(); };
    const KEYS = {
      ArrowLeft: pan(1, 0), ArrowRight: pan(-1, 0), ArrowUp: pan(0, 1), ArrowDown: pan(0, -1),
      "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: home, Home: home, Escape: () => onSelect(-1),
      Enter: () => onSelect(map.nearest(camera.width / 2, camera.height / 2, Infinity)),
    };
    stage.addEventListener("keydown", (event) => {
      if (event.target !== stage || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      event.preventDefault();
      KEYS[event.key]();
    });
    Sbmds.byId("zoom-in").addEventListener("click", () => zoom(1.5));
    Sbmds.byId("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
    Sbmds.byId("zoom-fit").addEventListener("click", home);
  };
})();
