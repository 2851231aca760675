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

/** The first candidate within `area` that overlaps nothing taken, which it joins; undefined if there is none. */
export function takeFree(candidates: readonly Box[], taken: Box[], area: Box): Box | undefined {
  const isInside = ({ x, y, width, height }: Box) =>
    area.x <= x && area.y <= y && x + width <= area.x + area.width && y + height <= area.y + area.height
  const free = candidates.find((box) => isInside(box) && !taken.some((other) => overlaps(box, other)))
  if (free !== undefined) taken.push(free)
  return free
}

/** Places for a label around a point, best first: above, below, right, left, then the corners. @param gap to the point */
export function placesAround({ x, y }: { x: number; y: number }, width: number, gap: number): Box[] {
  const [above, below] = [y - gap - TEXT_HEIGHT, y + gap]
  const [left, right] = [x - gap - width, x + gap]
  const [middleX, middleY] = [x - width / 2, y - TEXT_HEIGHT / 2]
  return [
    { x: middleX, y: above },
    { x: middleX, y: below },
    { x: right + 2, y: middleY },
    { x: left - 2, y: middleY },
    ...[right, left].flatMap((side) => [above, below].map((top) => ({ x: side, y: top }))),
  ].map((place) => ({ ...place, width, height: TEXT_HEIGHT }))
}

/** Moves the centres of labels at the end of lines apart, in their order, up from the bottom if they need it. */
export function spreadLabels(centres: readonly number[], bottom: number): number[] {
  const placed: number[] = []
  for (const centre of centres) placed.push(Math.max(centre, (placed.at(-1) ?? -TEXT_HEIGHT) + TEXT_HEIGHT))
  for (let at = placed.length - 1, limit = bottom; at >= 0; at--, limit = (placed[at + 1] ?? 0) - TEXT_HEIGHT)
    placed[at] = Math.min(placed[at] ?? 0, limit)
  return placed
}

/** The labels that are shown of a row of them: all, or every second, third … if they would touch. */
export function everyFitting<Label extends Box>(labels: readonly Label[], gap: number): Label[] {
  for (let each = 1; ; each++) {
    const shown = labels.filter((_, at) => at % each === 0)
    const touch = shown.some(
      (label, at) => at > 0 && overlaps({ ...label, x: label.x - gap, width: label.width + gap }, shown[at - 1] as Box),
    )
    if (!touch) return shown
  }
}
