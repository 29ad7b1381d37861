// Drawing of points, draws and ellipses: WebGL 2 where there is one, a plain canvas otherwise and on paper.
//
// A scene is {n, means, from, to, mix, colours, shapes, radius, ellipses, cloud}: posterior means (x, y per object), positions at two
// moments and how far between them the eye is, 4 bytes of colour and 1 of shape per object, radius in CSS pixels, two half-axes (4 numbers)
// per ellipse about the mean or null, and a list of position arrays to lay faintly beneath, or null.
// Arrays are never changed in place: a new array is a new upload.
"use strict";
(() => {
  // Draws laid on each other: many need fainter dots.
  const cloudOpacity = (scene) => Math.max(0.06, Math.min(0.45, 40 / Math.sqrt(scene.n * scene.cloud.length)));

  const SHARED = `#version 300 es
    precision highp float;
    uniform vec2 u_centre, u_half; // of the window, in map units
    vec4 clip(vec2 at) { return vec4((at - u_centre) / u_half, 0., 1.); }`;

  const POINT_VERTEX = `${SHARED}
    in vec2 a_from, a_to; in vec4 a_colour; in float a_shape;
    uniform float u_mix, u_size, u_opacity;
    out vec4 v_colour; flat out int v_shape;
    void main() {
      gl_Position = clip(mix(a_from, a_to, u_mix));
      gl_PointSize = u_size;
      v_colour = vec4(a_colour.rgb, a_colour.a * u_opacity);
      v_shape = int(a_shape);
    }`;

  // Signed distance to the shape, one pixel of smoothing, and a thin rim in the colour of the paper to part neighbours.
  const POINT_FRAGMENT = `#version 300 es
    precision highp float;
    in vec4 v_colour; flat in int v_shape;
    uniform float u_size; uniform vec4 u_rim;
    out vec4 colour;
    float outside(vec2 p) {
      if (v_shape == 1) return max(abs(p.x), abs(p.y)) - .89;
      if (v_shape == 2) return max(abs(p.x) * .871 + p.y * .491 - .565, -p.y - .8);
      if (v_shape == 3) return (abs(p.x) * 1.19 + abs(p.y) - 1.25) / 1.554;
      return length(p) - 1.;
    }
    void main() {
      float radius = u_size / 2. / 1.45;
      vec2 p = vec2(gl_PointCoord.x - .5, .5 - gl_PointCoord.y) * 2.9;
      float d = outside(p) * radius;
      float inside = clamp(.5 - d, 0., 1.), rim = u_rim.a * clamp(1.5 - d, 0., 1.) * v_colour.a;
      float alpha = inside * v_colour.a;
      colour = vec4(v_colour.rgb * alpha + u_rim.rgb * rim * (1. - alpha), alpha + rim * (1. - alpha));
      if (colour.a <= .002) discard;
    }`;

  const ELLIPSE_VERTEX = `${SHARED}
    in vec2 a_corner, a_centre; in vec4 a_axes, a_colour;
    out vec2 v_at; out vec4 v_colour;
    void main() {
      v_at = a_corner * 1.2;
      v_colour = a_colour;
      gl_Position = clip(a_centre + v_at.x * a_axes.xy + v_at.y * a_axes.zw);
    }`;

  const ELLIPSE_FRAGMENT = `#version 300 es
    precision highp float;
    in vec2 v_at; in vec4 v_colour;
    uniform float u_fill, u_line;
    out vec4 colour;
    void main() {
      float r = length(v_at), pixel = max(fwidth(r), 1e-6);
      float line = clamp(1.1 - abs(r - 1.) / pixel, 0., 1.) * u_line, fill = r < 1. ? u_fill : 0.;
      float alpha = max(line, fill) * v_colour.a;
      if (alpha <= .002) discard;
      colour = vec4(v_colour.rgb * alpha, alpha);
    }`;

  // How strongly ellipses show: many overlap, so they grow fainter.
  const ellipseStrength = (n) => ({ line: n > 20000 ? 0.25 : n > 2000 ? 0.3 : 0.6, fill: n > 20000 ? 0.01 : n > 2000 ? 0.025 : 0.1 });

  function compile(gl, vertex, fragment) {
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    const uniforms = new Proxy({}, { get: (seen, name) => (seen[name] ??= gl.getUniformLocation(program, name)) });
    const attributes = new Proxy({}, { get: (seen, name) => (seen[name] ??= gl.getAttribLocation(program, name)) });
    return { program, uniforms, attributes };
  }

  // A renderer with draw(scene, camera, ratio, rim), or null without WebGL 2.
  Sbmds.webglRenderer = (canvas) => {
    const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, premultipliedAlpha: true });
    const points = gl && compile(gl, POINT_VERTEX, POINT_FRAGMENT);
    const rings = gl && compile(gl, ELLIPSE_VERTEX, ELLIPSE_FRAGMENT);
    if (!points || !rings) return null;
    const corners = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);
    const buffers = new Map(); // role -> {buffer, array last uploaded}
    const used = [];

    function bind(attribute, role, array, size, kind, normalised, divisor) {
      if (attribute < 0) return;
      const held = buffers.get(role) || { buffer: gl.createBuffer(), array: null };
      buffers.set(role, held);
      gl.bindBuffer(gl.ARRAY_BUFFER, held.buffer);
      if (held.array !== array) gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
      held.array = array;
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(attribute, size, kind, normalised, 0, 0);
      gl.vertexAttribDivisor(attribute, divisor);
      used.push(attribute);
    }

    function begin({ program, uniforms }, camera) {
      for (const attribute of used.splice(0)) gl.disableVertexAttribArray(attribute);
      gl.useProgram(program);
      gl.uniform2f(uniforms.u_centre, camera.x, camera.y);
      gl.uniform2f(uniforms.u_half, camera.width / 2 / camera.scale, camera.height / 2 / camera.scale);
    }

    function drawPoints(scene, camera, { from, to, mix, radius, opacity, rim, role }) {
      begin(points, camera);
      const { uniforms: u, attributes: a } = points;
      gl.uniform1f(u.u_mix, mix);
      gl.uniform1f(u.u_size, 2 * 1.45 * Math.max(radius, 0.6));
      gl.uniform1f(u.u_opacity, opacity);
      gl.uniform4f(u.u_rim, ...rim);
      bind(a.a_from, `${role} from`, from, 2, gl.FLOAT, false, 0);
      bind(a.a_to, `${role} to`, to, 2, gl.FLOAT, false, 0);
      bind(a.a_colour, "colour", scene.colours, 4, gl.UNSIGNED_BYTE, true, 0);
      bind(a.a_shape, "shape", scene.shapes, 1, gl.UNSIGNED_BYTE, false, 0);
      gl.drawArrays(gl.POINTS, 0, scene.n);
    }

    function drawEllipses(scene, camera) {
      begin(rings, camera);
      const { uniforms: u, attributes: a } = rings;
      const strength = ellipseStrength(scene.n);
      gl.uniform1f(u.u_fill, strength.fill);
      gl.uniform1f(u.u_line, strength.line);
      bind(a.a_corner, "corner", corners, 2, gl.FLOAT, false, 0);
      bind(a.a_centre, "centre", scene.means, 2, gl.FLOAT, false, 1);
      bind(a.a_axes, "axes", scene.ellipses, 4, gl.FLOAT, false, 1);
      bind(a.a_colour, "ring colour", scene.colours, 4, gl.UNSIGNED_BYTE, true, 1);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, scene.n);
    }

    function draw(scene, camera, ratio, rim) {
      const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      if (scene.ellipses) drawEllipses(scene, camera);
      scene.cloud?.forEach((positions, i) => drawPoints(scene, camera,
        { from: positions, to: positions, mix: 0, radius: 1.3 * ratio, opacity: cloudOpacity(scene), rim: [0, 0, 0, 0], role: `cloud ${i}` }));
      const rimColour = [...rim.map((channel) => channel / 255), scene.n > 20000 ? 0 : scene.n > 2000 ? 0.5 : 0.9];
      drawPoints(scene, camera, { from: scene.from, to: scene.to, mix: scene.mix, radius: scene.radius * ratio, opacity: 1, rim: rimColour, role: "now" });
    }

    return { kind: "webgl", draw, lost: () => gl.isContextLost() };
  };

  // The same scene with a 2-D context whose transform is in CSS pixels.
  Sbmds.drawPlain = (ctx, scene, camera) => {
    const styles = new Map();
    const style = (object) => {
      const at = 4 * object;
      const key = (scene.colours[at] << 24) | (scene.colours[at + 1] << 16) | (scene.colours[at + 2] << 8) | scene.colours[at + 3];
      if (!styles.has(key)) styles.set(key, `rgba(${scene.colours.subarray(at, at + 3)},${scene.colours[at + 3] / 255})`);
      return styles.get(key);
    };
    const pixel = (from, to, mix, object) => camera.toPixel(
      from[2 * object] + mix * (to[2 * object] - from[2 * object]), from[2 * object + 1] + mix * (to[2 * object + 1] - from[2 * object + 1]));
    const away = (x, y, margin) => x < -margin || y < -margin || x > camera.width + margin || y > camera.height + margin;
    if (scene.ellipses) drawPlainEllipses(ctx, scene, camera, style, away);
    for (const positions of scene.cloud || []) {
      ctx.globalAlpha = cloudOpacity(scene);
      for (let object = 0; object < scene.n; object++) {
        const [x, y] = pixel(positions, positions, 0, object);
        if (away(x, y, 2)) continue;
        ctx.fillStyle = style(object);
        ctx.fillRect(x - 1.1, y - 1.1, 2.2, 2.2);
      }
    }
    ctx.globalAlpha = 1;
    const outlines = Sbmds.shapePaths.map((path) => scaled(path, scene.radius));
    for (let object = 0; object < scene.n; object++) {
      const [x, y] = pixel(scene.from, scene.to, scene.mix, object);
      if (away(x, y, 10)) continue;
      ctx.fillStyle = style(object);
      if (scene.n > 20000) {
        ctx.fillRect(x - scene.radius, y - scene.radius, 2 * scene.radius, 2 * scene.radius);
        continue;
      }
      ctx.translate(x, y);
      ctx.fill(outlines[scene.shapes[object]]);
      ctx.translate(-x, -y);
    }
  };

  function scaled(path, radius) {
    const out = new Path2D();
    out.addPath(new Path2D(path), new DOMMatrix([radius, 0, 0, radius, 0, 0]));
    return out;
  }

  function drawPlainEllipses(ctx, scene, camera, style, away) {
    const strength = ellipseStrength(scene.n);
    ctx.lineWidth = 1;
    for (let object = 0; object < scene.n; object++) {
      const [x, y] = camera.toPixel(scene.means[2 * object], scene.means[2 * object + 1]);
      const [ax, ay, bx, by] = scene.ellipses.subarray(4 * object, 4 * object + 4);
      const [major, minor] = [Math.hypot(ax, ay) * camera.scale, Math.hypot(bx, by) * camera.scale];
      if (!(major > 0.3) || away(x, y, major)) continue;
      ctx.beginPath();
      ctx.ellipse(x, y, major, minor, -Math.atan2(ay, ax), 0, 2 * Math.PI);
      ctx.globalAlpha = strength.fill;
      ctx.fillStyle = ctx.strokeStyle = style(object);
      ctx.fill();
      ctx.globalAlpha = strength.line;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }
})();
