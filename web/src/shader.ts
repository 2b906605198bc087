/** Colours a picture of owners on the graphics card, by WebGL 2, as the search is at a step. */

import type { Camera } from "./camera.ts";
import { type Coloured, colouredBy, type Drawer, type Moment } from "./drawer.ts";
import { bloomShares, colourOf, type Lamp, type Light, trailOf } from "./light.ts";
import type { Contents, MapColours } from "./read.ts";

const WHOLE = `#version 300 es
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }`;

/** Of the node of each pixel, `known` has 1 + its first step above the row of its colour. */
const SHADE = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D owners;
uniform usampler2D known;
uniform sampler2D table;
uniform sampler2D hot;
uniform sampler2D bloom;
uniform sampler2D points;
uniform int height;
uniform vec3 moved;
uniform uint done;
uniform float now;
uniform float trail;
uniform bool lit;
uniform vec4 grid;
uniform vec4 shares;
uniform vec3 core;
out vec4 colour;
void main() {
  vec2 pixel = vec2(gl_FragCoord.x, float(height) - gl_FragCoord.y);
  ivec2 at = ivec2(floor(pixel * moved.z + moved.xy));
  ivec2 size = textureSize(owners, 0);
  uint value = 0u;
  if (at.x >= 0 && at.y >= 0 && at.x < size.x && at.y < size.y) value = texelFetch(owners, at, 0).r;
  int coverage = int(value >> 24u);
  uint node = value & 0xffffffu;
  uint reached = texelFetch(known, ivec2(node & 4095u, node >> 12u), 0).r;
  uint first = reached >> 8u;
  bool there = first != 0u && first <= done;
  vec3 rgb = texelFetch(table, ivec2(coverage, there ? int(reached & 255u) : 256), 0).rgb;
  if (lit) {
    if (value != 0u && first != 0u) {
      float age = floor((now - float(first - 1u)) * 256.0 / trail);
      if (age >= 0.0 && age < 255.0) {
        rgb = mix(rgb, texelFetch(hot, ivec2(coverage, 0), 0).rgb, pow(1.0 - age / 255.0, 2.5));
      }
    }
    float glow = texture(bloom, (pixel + grid.xy) * grid.zw).r;
    rgb += (shares.w - rgb) * glow * shares.rgb;
    rgb = mix(rgb, core, texelFetch(points, ivec2(gl_FragCoord.xy), 0).r);
  }
  colour = vec4(rgb, 1.0);
}`;

const POINT = `#version 300 es
in vec3 point;
uniform vec2 size;
uniform float side;
out float weight;
void main() {
  gl_Position = vec4((point.x + 0.5) / size.x * 2.0 - 1.0, 1.0 - (point.y + 0.5) / size.y * 2.0, 0.0, 1.0);
  gl_PointSize = side;
  weight = point.z;
}`;

const DISC = `#version 300 es
precision highp float;
in float weight;
uniform float side;
uniform float strength;
out vec4 colour;
void main() {
  vec2 away = floor(gl_PointCoord * side) - 0.5 * (side - 1.0);
  float inside = max(1.0 - length(away) / (0.5 * side), 0.0);
  colour = vec4(weight * strength * pow(inside, 0.7), 0.0, 0.0, 1.0);
}`;

const NODES_ACROSS = 4096;

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Return whether WebGL 2 is there, and drawn by a graphics card unless the processor may do it, which then takes long:
 * browsers without a card may offer it too.
 */
export function hasWebGl(byProcessor: boolean): boolean {
  const gl = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: !byProcessor });
  if (!gl) return false;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return byProcessor || !SOFTWARE.test(name);
}

export class Shader implements Drawer {
  private readonly gl: WebGL2RenderingContext;
  private readonly shade: Program;
  private readonly disc: Program;
  private readonly textures: Record<"owners" | "known" | "table" | "hot" | "bloom" | "points", WebGLTexture>;
  private readonly target: WebGLFramebuffer;
  private drawn: Camera | null = null;
  private size = [0, 0];
  private bloomSize = [0, 0];
  private colours: MapColours | null = null;

  /** Throws an `Error` where the browser has no WebGL 2. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly page: Contents,
  ) {
    const gl = canvas.getContext("webgl2", {
      alpha: false,
      antialias: false,
      depth: false,
      stencil: false,
    });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.shade = new Program(gl, WHOLE, SHADE, "corner", 2);
    this.disc = new Program(gl, POINT, DISC, "point", 3);
    this.textures = {
      owners: this.texture(0, gl.NEAREST),
      known: this.texture(1, gl.NEAREST),
      table: this.texture(2, gl.NEAREST),
      hot: this.texture(3, gl.NEAREST),
      bloom: this.texture(4, gl.LINEAR),
      points: this.texture(5, gl.NEAREST),
    };
    this.target = gl.createFramebuffer() as WebGLFramebuffer;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shade.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.takeTree(colouredBy(page));
  }

  private texture(unit: number, filter: number): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture() as WebGLTexture;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
  }

  takeTree({ first, distance, last }: Coloured): void {
    const { gl } = this;
    const { heading } = this.page;
    const rows = Math.ceil(heading.nodes / NODES_ACROSS);
    const known = new Uint32Array(NODES_ACROSS * rows);
    const perValue = 255 / Math.max(last, 1e-9);
    for (let node = 0; node < heading.nodes; node++) {
      const colour = Math.min(Math.max(distance[node]! * perValue, 0), 255) | 0;
      known[node] = (first[node]! + 1) * 256 + colour;
    }
    gl.activeTexture(gl.TEXTURE1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32UI, NODES_ACROSS, rows, 0, gl.RED_INTEGER, gl.UNSIGNED_INT, known);
  }

  dispose(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  setTheme(name: string): void {
    const { gl } = this;
    const tables = this.page.tables[name];
    const theme = this.page.heading.themes[name];
    if (!tables || !theme) return;
    this.colours = theme.map;
    gl.activeTexture(gl.TEXTURE2);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 128, 257, 0, gl.RGBA, gl.UNSIGNED_BYTE, tables.table);
    gl.activeTexture(gl.TEXTURE3);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 128, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, tables.hot);
  }

  setOwners(owners: Int32Array, camera: Camera): void {
    const { gl } = this;
    const { width, height } = camera;
    this.drawn = camera;
    const values = new Uint32Array(owners.buffer, owners.byteOffset, owners.length);
    gl.activeTexture(gl.TEXTURE0);
    if (this.size[0] !== width || this.size[1] !== height) {
      this.size = [width, height];
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32UI, width, height, 0, gl.RED_INTEGER, gl.UNSIGNED_INT, values);
      gl.activeTexture(gl.TEXTURE5);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, width, height, 0, gl.RED, gl.UNSIGNED_BYTE, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.textures.points, 0);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      this.canvas.width = width;
      this.canvas.height = height;
    } else {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RED_INTEGER, gl.UNSIGNED_INT, values);
    }
  }

  draw(camera: Camera, moment: Moment, lamp: Lamp, light: Light): void {
    const { gl, drawn, colours } = this;
    if (!drawn || !colours) return;
    const { width, height } = drawn;
    const lit = !moment.tree && light.bloom !== null;
    gl.viewport(0, 0, width, height);
    if (lit) this.keepLight(colours, lamp, light);
    const ratio = drawn.scale / camera.scale;
    const { shade } = this;
    shade.use();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    for (const [unit, name] of ["owners", "known", "table", "hot", "bloom", "points"].entries()) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, this.textures[name as keyof typeof this.textures]);
      gl.uniform1i(shade.at(name), unit);
    }
    gl.uniform1i(shade.at("height"), height);
    gl.uniform3f(
      shade.at("moved"),
      (camera.left - drawn.left) * drawn.scale,
      (drawn.top - camera.top) * drawn.scale,
      ratio,
    );
    gl.uniform1ui(shade.at("done"), moment.tree ? 0xffffff : Math.max(Math.floor(moment.step) + 1, 0));
    gl.uniform1f(shade.at("now"), moment.step);
    gl.uniform1f(shade.at("trail"), trailOf(this.page.heading.steps));
    gl.uniform1i(shade.at("lit"), lit ? 1 : 0);
    if (light.bloom) {
      const { before, above, cell, columns, rows } = light.bloom;
      gl.uniform4f(shade.at("grid"), before, above, 1 / (cell * columns), 1 / (cell * rows));
    }
    gl.uniform4f(shade.at("shares"), ...bloomShares(colours), colours.glow_adds ? 1 : 0);
    const [red, green, blue] = colourOf(colours.core);
    gl.uniform3f(shade.at("core"), red / 255, green / 255, blue / 255);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Put the bloom and the points of a light into their textures. */
  private keepLight(colours: MapColours, lamp: Lamp, light: Light): void {
    const { gl, disc } = this;
    const bloom = light.bloom;
    if (!bloom) return;
    const { columns, rows, strength } = bloom;
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_2D, this.textures.bloom);
    if (this.bloomSize[0] !== columns || this.bloomSize[1] !== rows) {
      this.bloomSize = [columns, rows];
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, columns, rows, 0, gl.RED, gl.UNSIGNED_BYTE, strength);
    } else {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, rows, gl.RED, gl.UNSIGNED_BYTE, strength);
    }
    gl.activeTexture(gl.TEXTURE5);
    gl.bindTexture(gl.TEXTURE_2D, null); // it is drawn to
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    disc.use();
    gl.bufferData(gl.ARRAY_BUFFER, light.points.subarray(0, 3 * light.count), gl.STREAM_DRAW);
    const side = 2 * lamp.point + 1;
    gl.uniform2f(disc.at("size"), this.size[0] as number, this.size[1] as number);
    gl.uniform1f(disc.at("side"), side);
    gl.uniform1f(disc.at("strength"), colours.core_strength);
    gl.enable(gl.BLEND);
    gl.blendEquation(gl.MAX);
    gl.drawArrays(gl.POINTS, 0, light.count);
    gl.disable(gl.BLEND);
  }
}

/** A pair of shaders with the one buffer of corners that they read. */
class Program {
  readonly buffer: WebGLBuffer;
  private readonly program: WebGLProgram;
  private readonly array: WebGLVertexArrayObject;
  private readonly known = new Map<string, WebGLUniformLocation | null>();

  constructor(
    private readonly gl: WebGL2RenderingContext,
    vertex: string,
    fragment: string,
    attribute: string,
    numbers: number,
  ) {
    this.program = gl.createProgram() as WebGLProgram;
    for (const [kind, text] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind) as WebGLShader;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) {
      throw new Error(`the graphics driver refuses a shader: ${gl.getProgramInfoLog(this.program) ?? ""}`);
    }
    this.array = gl.createVertexArray() as WebGLVertexArrayObject;
    this.buffer = gl.createBuffer() as WebGLBuffer;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    const place = gl.getAttribLocation(this.program, attribute);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, numbers, gl.FLOAT, false, 0, 0);
  }

  use(): void {
    this.gl.useProgram(this.program);
    this.gl.bindVertexArray(this.array);
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
  }

  at(name: string): WebGLUniformLocation | null {
    if (!this.known.has(name)) this.known.set(name, this.gl.getUniformLocation(this.program, name));
    return this.known.get(name) ?? null;
  }
}
