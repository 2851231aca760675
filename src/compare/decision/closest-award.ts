import { OFFER_REQUIREMENTS } from './award-requirements.js'
import { AWARD_BIT, type AwardSolver, maskOf, type RequirementMask, type Solution } from './award-solver.js'

/** A solution, and the hard requirements waived for it. */
export interface ClosestSolution {
  solution: Solution
  waived: RequirementMask
}

/** A rejected, withdrawn or expired offer can no longer be accepted, whatever the buyer waives. */
export const NEVER_WAIVED: RequirementMask = maskOf(['status', 'notExpired'])

/**
 * The award that comes closest if none satisfies the hard requirements: the fewest requirements waived, then the lowest
 * cost, then the requirements that come first. If no waiver reaches the wanted volume: the fewest waived that leave an
 * award at all, then the most tonnes, then the lowest cost.
 * @returns null if no offer is awardable
 */
export function closestAward(solver: AwardSolver, hard: RequirementMask, wanted: number): ClosestSolution | null {
  const bits = relevantBits(solver, hard).filter((bit) => (bit & NEVER_WAIVED) === 0)
  const subsets = subsetsBySize(bits)
  const { min } = solver.boundsFor(hard, wanted)
  let shortfall: ClosestSolution | null = null
  for (const ofSize of subsets) {
    let best: ClosestSolution | null = null
    for (const waived of ofSize) {
      if (solver.available(hard & ~waived) < min) continue
      const solution = solver.cheapest(hard & ~waived, wanted)
      if (solution.reached && (best === null || solution.cost < best.solution.cost)) best = { solution, waived }
    }
    if (best !== null) return best
    shortfall ??= mostTonnes(solver, hard, wanted, ofSize)
  }
  return shortfall
}

function mostTonnes(solver: AwardSolver, hard: RequirementMask, wanted: number, waivers: readonly RequirementMask[]) {
  let best: ClosestSolution | null = null
  for (const waived of waivers) {
    const solution = solver.cheapest(hard & ~waived, wanted)
    if (solution.members.length === 0 || (best !== null && !isCloser(solution, best.solution))) continue
    best = { solution, waived }
  }
  return best
}

const isCloser = (a: Solution, b: Solution) => a.tonnes > b.tonnes || (a.tonnes === b.tonnes && a.cost < b.cost)

/** The hard requirements whose waiver can make a difference, in order. */
export function relevantBits(solver: AwardSolver, hard: RequirementMask): RequirementMask[] {
  const failed = solver.candidates.reduce((mask, { failedMask }) => mask | failedMask, 0)
  const bits = OFFER_REQUIREMENTS.map((_, at) => 1 << at).filter((bit) => (failed & hard & bit) !== 0)
  return hard & AWARD_BIT && solver.max !== null ? [...bits, AWARD_BIT] : bits
}

/** All subsets, grouped by size from 0 up, each group in lexical order. */
function subsetsBySize(bits: readonly RequirementMask[]): RequirementMask[][] {
  const groups: RequirementMask[][] = Array.from({ length: bits.length + 1 }, () => [])
  for (let choice = 0; choice < 2 ** bits.length; choice++) {
    const chosen = bits.filter((_, at) => (choice >>> at) & 1)
    groups[chosen.length]?.push(chosen.reduce((mask, bit) => mask | bit, 0))
  }
  return groups
}
