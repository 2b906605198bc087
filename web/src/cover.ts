/** What lines cover of the pixels of a view, listed: pixels, the share of each that is covered, and the node that owns it. */

const FIRST_ROOM = 1024;

export class Cover {
  pixel = new Int32Array(FIRST_ROOM);
  share = new Float32Array(FIRST_ROOM);
  owner = new Int32Array(FIRST_ROOM);
  count = 0;

  private makeRoom(more: number): void {
    if (this.count + more <= this.pixel.length) return;
    const room = 2 * (this.count + more);
    const { pixel, share, owner } = this;
    this.pixel = new Int32Array(room);
    this.pixel.set(pixel);
    this.share = new Float32Array(room);
    this.share.set(share);
    this.owner = new Int32Array(room);
    this.owner.set(owner);
  }

  /**
   * Add what a line covers, `half` pixels to either side, whose halves belong to the nodes `a` and `b`. Antialiasing is
   * Wu's ("An efficient antialiasing technique", SIGGRAPH 1991), widened to a box of any width.
   */
  add(
    columns: number,
    rows: number,
    xa: number,
    ya: number,
    xb: number,
    yb: number,
    a: number,
    b: number,
    half: number,
  ): void {
    const tall = Math.abs(xb - xa) < Math.abs(yb - ya);
    let start = tall ? ya : xa;
    let side = tall ? xa : ya;
    let end = tall ? yb : xb;
    let endSide = tall ? xb : yb;
    if (start > end) {
      [start, side, end, endSide] = [end, endSide, start, side];
      [a, b] = [b, a];
    }
    const length = tall ? rows : columns;
    const breadth = tall ? columns : rows;
    const low = Math.min(side, endSide);
    const high = Math.max(side, endSide);
    const along = tall ? columns : 1;
    const across = tall ? 1 : columns;
    const slope = end > start ? (endSide - side) / (end - start) : 0;
    const middle = (start + end) * 0.5;
    // At 45° a broad line reaches 1.4 times as far across its longer axis.
    const reach = half * (1 + (Math.sqrt(1 + slope * slope) - 1) * Math.min(Math.max(2 * half - 1, 0), 1));
    const first = Math.max(Math.floor(start), 0);
    const last = Math.min(Math.floor(end), length - 1);
    if (first > last) return;
    this.makeRoom((last - first + 1) * Math.ceil(2 * reach + 2));
    const { pixel, share, owner } = this;
    let count = this.count;
    for (let i = first; i <= last; i++) {
      const centre = i + 0.5;
      const position = Math.min(Math.max(side + slope * (centre - start), low), high);
      const node = centre < middle ? a : b;
      const upper = position - reach;
      const lower = position + reach;
      const lastAcross = Math.min(Math.floor(lower), breadth - 1);
      for (let j = Math.max(Math.floor(upper), 0); j <= lastAcross; j++, count++) {
        pixel[count] = i * along + j * across;
        share[count] = Math.min(Math.min(lower, j + 1) - Math.max(upper, j), 1);
        owner[count] = node;
      }
    }
    this.count = count;
  }
}
