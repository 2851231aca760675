import { formatCount } from '../../core/number-format.js'
import { WANTED_BASES, type WantedBasis } from '../../core/settings.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { AWARD_BIT, type AwardSolver, namesIn, type RequirementMask, type Solution } from './award-solver.js'
import { closestAward } from './closest-award.js'
import { breakEvenLimit } from './runner-up.js'
import type { SolvedAward, SwitchEntry, SwitchTable } from './switch-table-model.js'

/** Maximum number of entries, so that a sheet stays small. */
export const MAX_ENTRIES = 1536
/** Maximum number of offers in all awards of the table together. */
const MAX_MEMBERS = 20_000
/** Maximum number of searches, by number of awardable offers. */
const MAX_SEARCHES: readonly [offers: number, searches: number][] = [
  [12, 3000],
  [36, 600],
  [400, 80],
  [Number.POSITIVE_INFINITY, 15],
]

/** A table without entries, where no workbook follows. */
export const noSwitchTable = ({ basis, command }: { basis: WantedBasis; command: string }): SwitchTable => ({
  names: [],
  currentKey: keyOf(0, 0, basis),
  entries: [],
  awards: [],
  regardless: [],
  eligibleSets: 0,
  combinations: 0,
  complete: false,
  command,
  words: 'Not computed.',
})

/**
 * Solves the awards for every combination of switches and wanted volumes that makes a difference: SwitchTable.
 * @param hard the requirements that are hard in the report's settings
 */
export function switchTableOf(
  solver: AwardSolver,
  rfq: RfqTerms,
  { hard, basis, command }: { hard: RequirementMask; basis: WantedBasis; command: string },
): SwitchTable {
  const relevant = relevantMask(solver)
  const names = namesIn(relevant)
  const masks = byDistance(relevant, hard & relevant)
  const volumes = wantedVolumes(rfq, basis)
  const awards = createAwardList()
  const limit = MAX_SEARCHES.find(([offers]) => solver.candidates.length <= offers)?.[1] ?? 0
  const before = solver.solves()
  const entries: SwitchEntry[] = []
  const isExhausted = () => awards.members() > MAX_MEMBERS || solver.solves() - before > limit
  const choices: Choice[] = []
  for (const mask of volumes.length === 0 ? [] : masks) {
    if (choices.length + volumes.length > MAX_ENTRIES || isExhausted()) break
    choices.push(...volumes.map((volume) => ({ mask, relevant, ...volume })))
    for (const choice of choices.slice(-volumes.length)) entries.push(entryOf(solver, choice, awards.indexOf))
  }
  for (const [at, entry] of entries.entries()) {
    const choice = choices[at]
    if (choice === undefined || isExhausted()) break
    entry.alternatives = alternativesOf(solver, choice, awards.indexOf)
  }
  const combinations = masks.length * volumes.length
  const complete = entries.length === combinations
  return {
    names,
    currentKey: keyOf(hard & relevant, relevant, basis),
    entries,
    regardless: volumes.map(({ basis: choice, wanted }) => ({
      basis: choice,
      award: awards.indexOf(solver.cheapest(0, wanted)),
    })),
    awards: awards.list,
    eligibleSets: new Set(masks.map((mask) => solver.eligibleKey(mask))).size,
    combinations,
    complete,
    command,
    words: complete
      ? `All ${formatCount(combinations, 'combination')} of requirements and wanted volume are solved.`
      : `${formatCount(entries.length, 'combination')} of ${combinations} are solved, those closest to the settings first; for others, create the report again.`,
  }
}

/** The requirements that decide which offers are eligible: those that at least one awardable offer does not meet. */
function relevantMask({ candidates, max }: AwardSolver): RequirementMask {
  const failed = candidates.reduce((mask, { failedMask }) => mask | failedMask, 0)
  return max === null || candidates.length === 0 ? failed : failed | AWARD_BIT
}

/** The volumes a reader can choose; the chosen one first. */
function wantedVolumes({ wanted }: RfqTerms, chosen: WantedBasis): { basis: WantedBasis; wanted: number }[] {
  const bases = [chosen, ...WANTED_BASES.filter((basis) => basis !== chosen)]
  return bases.flatMap((basis) => {
    const volume = wanted[basis]
    return volume === null ? [] : [{ basis, wanted: volume }]
  })
}

/** All subsets of the relevant requirements, those that differ least from the current one first. */
function byDistance(relevant: RequirementMask, current: RequirementMask): RequirementMask[] {
  const masks: RequirementMask[] = []
  for (let mask = relevant; ; mask = (mask - 1) & relevant) {
    masks.push(mask)
    if (mask === 0) break
  }
  return masks.sort((a, b) => bitCount(a ^ current) - bitCount(b ^ current) || b - a)
}

function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}

/** The key of a choice: one digit for each relevant requirement, `1` if hard, then the wanted volume. */
export function keyOf(hard: RequirementMask, relevant: RequirementMask, basis: WantedBasis): string {
  const isHard = new Set(namesIn(hard))
  return `${namesIn(relevant)
    .map((name) => (isHard.has(name) ? '1' : '0'))
    .join('')}|${basis}`
}

interface Choice {
  /** The hard requirements, among those that are relevant. */
  mask: RequirementMask
  relevant: RequirementMask
  basis: WantedBasis
  wanted: number
}

type IndexOf = (solution: Solution) => number | null

function entryOf(solver: AwardSolver, { mask, relevant, basis, wanted }: Choice, indexOf: IndexOf): SwitchEntry {
  const solution = solver.cheapest(mask, wanted)
  const closest = solution.reached ? null : closestAward(solver, mask, wanted)
  const isCloser = closest !== null && closest.waived !== 0
  return {
    key: keyOf(mask, relevant, basis),
    basis,
    award: indexOf(solution),
    closest: isCloser ? indexOf(closest.solution) : null,
    waived: isCloser ? namesIn(closest.waived) : [],
    alternatives: null,
  }
}

function alternativesOf(solver: AwardSolver, { mask, wanted }: Choice, indexOf: IndexOf): SwitchEntry['alternatives'] {
  const { reached, members } = solver.cheapest(mask, wanted)
  if (members.length > breakEvenLimit(solver)) return null
  return (reached ? members : []).map((member) => {
    const without = solver.cheapestWithout(member, mask, wanted)
    return without.reached ? indexOf(without) : null
  })
}

/** Collects distinct awards. */
function createAwardList() {
  const list: SolvedAward[] = []
  const known = new Map<string, number>()
  let members = 0
  const indexOf = (solution: Solution): number | null => {
    if (solution.members.length === 0) return null
    const { tonnes, cost, reached, exact, lowerBound } = solution
    const sequences = solution.members.map(({ offer }) => offer.sequence)
    const key = `${reached} ${sequences.join(' ')}`
    const index = known.get(key) ?? list.push({ sequences, tonnes, total: cost, reached, exact, lowerBound }) - 1
    if (!known.has(key)) members += sequences.length
    known.set(key, index)
    return index
  }
  return { list, indexOf, members: () => members }
}
