import type { Award, ExactScenario } from '../../src/domain/comparison/awards/award-model.js'
import type { WantedBasis } from '../../src/domain/comparison/settings.js'
import type { RfqLayout } from './layout.js'

/** A volume short by a billionth, the noise of sums, is reached. */
export const REACHED_FACTOR = '(1-1E-9)'
export const REACHED_VOLUME = `WantedVolume*${REACHED_FACTOR}`

/** A scenario that is searched for, as the report found it for one of the RFQ's volumes. */
export function awardFor(
  { rfq, awards, awardsByWanted }: RfqLayout['report'],
  scenario: ExactScenario,
  basis: WantedBasis,
): Award {
  const found = awardsByWanted.find(({ wanted }) => wanted === rfq.wanted[basis])?.awards[scenario]
  return found ?? (awards.find((award) => award.scenario === scenario) as Award)
}

/** What holds for the wanted volume chosen on Inputs. */
export function byWantedBasis(of: (basis: WantedBasis) => string): string {
  const [min, mid, max] = [of('min'), of('mid'), of('max')]
  return min === mid && mid === max ? min : `IF(WantedBasis="min",${min},IF(WantedBasis="max",${max},${mid}))`
}
