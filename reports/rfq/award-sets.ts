import type { Award, ExactScenario } from '../../src/domain/comparison/awards/award-model.js'
import type { WantedBasis } from '../../src/domain/comparison/settings.js'
import type { RfqLayout } from './layout.js'

/** A volume counts as reached if it is short by at most a billionth, the rounding error of sums. */
export const REACHED_FACTOR = '(1-1E-9)'
/** The fewest tonnes that count as reaching the wanted volume. */
export const REACHED_VOLUME = `WantedVolume*${REACHED_FACTOR}`

/** The award the report found by search for a scenario and one of the RFQ's volumes. */
export function awardFor(
  { rfq, awards, awardsByWanted }: RfqLayout['report'],
  scenario: ExactScenario,
  basis: WantedBasis,
): Award {
  const award = awardsByWanted.find(({ wanted }) => wanted === rfq.wanted[basis])?.awards[scenario]
  return award ?? (awards.find((each) => each.scenario === scenario) as Award)
}

/** An expression that selects one of three by the wanted volume on Inputs. */
export function byWantedBasis(expression: (basis: WantedBasis) => string): string {
  const [min, mid, max] = [expression('min'), expression('mid'), expression('max')]
  return min === mid && mid === max ? min : `IF(WantedBasis="min",${min},IF(WantedBasis="max",${max},${mid}))`
}
