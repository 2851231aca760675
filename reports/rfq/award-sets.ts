import type { WantedBasis } from '../../src/domain/comparison/settings.js'

/** A volume counts as reached if it is short by at most a billionth, the rounding error of sums. */
export const REACHED_FACTOR = '(1-1E-9)'
/** The fewest tonnes that count as reaching the wanted volume. */
export const REACHED_VOLUME = `WantedVolume*${REACHED_FACTOR}`

/** An expression that selects one of three by the wanted volume on Inputs. */
export function byWantedBasis(expression: (basis: WantedBasis) => string): string {
  const [min, mid, max] = [expression('min'), expression('mid'), expression('max')]
  return min === mid && mid === max ? min : `IF(WantedBasis="min",${min},IF(WantedBasis="max",${max},${mid}))`
}
