import type { RequirementName, WantedBasis } from '../../core/settings.js'

/**
 * The awards for other choices on `Inputs`, solved ahead, so that a workbook follows them without a macro. It generalises
 * `RfqReport.awardsByWanted` from three volumes to volumes × requirements.
 *
 * How a sheet uses it:
 * 1. **Key.** Compute a text with one digit for each requirement of `names`, in order: `1` if its switch says hard,
 *    otherwise `0`; then `|` and the wanted volume: `10110|min`. Only these requirements make a difference to which offers
 *    are eligible: every awardable offer meets the others (advisory and off are equal here). `currentKey` is the key of the
 *    report's own settings.
 * 2. **Look-up.** Find the key in `entries` (`MATCH(key, keys, 0)`). `award` is the number of the cheapest compliant
 *    award in `awards`, counted from 0; if that does not reach the wanted volume, it contains every eligible offer; null
 *    if there is none. If there is none that reaches, `closest` is the number of the award that comes closest, and
 *    `waived` names the requirements it needs waived.
 * 3. **Membership.** Write one row for each of `awards`, with its offer numbers as one text: `,3,17,`. An offer is awarded
 *    if ISNUMBER(SEARCH(","&number&",", INDEX(texts, award + 1))); its tonnes are its volume, or 0. Tonnes, totals,
 *    coverage, unmet requirements and differences are formulas over the tonnes.
 * 4. **Runner-up and break-even.** `alternatives` has, for each offer of the award, the number of the best award without it.
 *    The runner-up is the cheapest of them. An awarded offer with total c stays in the award up to a total of c + (total of
 *    its alternative − total of the award), if that is at most the RFQ's maximum price while `priceMax` is hard. Without an
 *    alternative it stays at any price. If `alternatives` is null, they were not computed: show the command.
 * 5. **Not in the table.** If `complete` is false and the key is absent, show the command: `command`, followed by
 *    ` --set SETTING=VALUE` for each switch that differs, as RequirementSwitch.setting, `awardRule` and `wantedVolume`
 *    name them. A combination that is not solved never shows the award of another.
 *
 * Other rules need no table. `cheapest-regardless` is `regardless` by wanted volume. `best-score-compliant` is a formula:
 * take eligible offers by rank (unranked ones last) while the tonnes so far do not reach the wanted volume, and skip an
 * offer that would exceed the maximum while `volumeMax` is hard (`bestScore` in award-solver.ts).
 *
 * Weights, discount rate and haircuts do not affect the table. Exchange rates do; `rankExpired` does not.
 */
export interface SwitchTable {
  /** The requirements that digits of a key stand for; `volumeMax` last, if the RFQ states a maximum. */
  names: RequirementName[]
  currentKey: string
  /** The settings of the report first, then by number of switches that differ. */
  entries: SwitchEntry[]
  /** Distinct awards that entries refer to. */
  awards: SolvedAward[]
  /** The cheapest award regardless of requirements, by wanted volume. */
  regardless: { basis: WantedBasis; award: number | null }[]
  /** Number of distinct sets of eligible offers among all combinations. */
  eligibleSets: number
  /** Number of combinations of `names` and wanted volumes; equals the number of entries if `complete`. */
  combinations: number
  complete: boolean
  /** `quotekeeper report 1042 --channel acme/forest --as-of …`, for combinations that are not in the table. */
  command: string
  /** One sentence: how many combinations are solved. */
  words: string
}

export interface SwitchEntry {
  key: string
  basis: WantedBasis
  award: number | null
  /** Only if no award reaches the wanted volume: the award that comes closest, or null if there is none. */
  closest: number | null
  waived: RequirementName[]
  /**
   * For each offer of the award, in order: the best award if it were not available; null if none reaches the wanted
   * volume. Empty if the award does not reach it. Null: not computed.
   */
  alternatives: (number | null)[] | null
}

export interface SolvedAward {
  /** Numbers (`OfferReport.sequence`) of its offers, ascending. */
  sequences: number[]
  tonnes: number
  total: number
  /** False: all eligible offers together do not reach the wanted volume. */
  reached: boolean
  exact: boolean
  /** Lower bound on cost; null if exact. */
  lowerBound: number | null
}
