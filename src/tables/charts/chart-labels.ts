import stringWidth from 'string-width'

/** A rectangle in pixels; `x` and `y` are its left and upper edge. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Height of a line of text in a chart, which is at most 14 pixels large. */
export const TEXT_HEIGHT = 14
/** Wide for a proportional font, so that no font makes labels touch. */
const CHARACTER_WIDTH = 8.2

/** An estimate that no usual font exceeds, in pixels. */
export const textWidth = (text: string): number => stringWidth(text) * CHARACTER_WIDTH

export const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const contains = (outer: Box, inner: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

/** The first candidate within `area` that overlaps nothing taken, which it joins; undefined if there is none. */
export function takeFree(candidates: readonly Box[], taken: Box[], area: Box): Box | undefined {
  const free = candidates.find((box) => contains(area, box) && !taken.some((other) => overlaps(box, other)))
  if (free !== undefined) taken.push(free)
  return free
}

/** Places for a label around a point, best first: above, below, right, left, then the corners. @param gap to the point */
export function placesAround({ x, y }: { x: number; y: number }, width: number, gap: number): Box[] {
  const [height, across, corner] = [TEXT_HEIGHT, gap + 2, gap * 0.7]
  const [above, below, middle] = [y - gap - height, y + gap, y - height / 2]
  const corners = [x + corner, x - corner - width].flatMap((left) => [
    [left, y - corner - height] as const,
    [left, y + corner] as const,
  ])
  const places = [
    [x - width / 2, above] as const,
    [x - width / 2, below] as const,
    [x + across, middle] as const,
    [x - across - width, middle] as const,
  ]
  return [...places, ...corners].map(([left, top]) => ({ x: left, y: top, width, height }))
}
