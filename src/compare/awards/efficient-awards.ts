import { sum } from '../../core/numbers.js'

/** A whole offer that an award can contain. */
export interface Lot {
  /** Above 0. */
  tonnes: number
  /** In the comparison currency, by the price basis; above 0. */
  cost: number
}

/** A set of whole offers. */
export interface AwardSet<L extends Lot> {
  tonnes: number
  cost: number
  /** In the order of the input. */
  lots(): L[]
}

export interface EfficientAwards<L extends Lot> {
  /** By tonnes, ascending, and therefore by cost; without the empty set. */
  awards: AwardSet<L>[]
  /** Those below a lower maximum, where a larger award beats none of them. */
  awardsUpTo(max: number): AwardSet<L>[]
  /** False if sets of different tonnages had to share a cell: awards are feasible, but a cheaper one may exist. */
  exact: boolean
}

/** Maximum number of distinct sums of tonnes; beyond it, sums share cells of equal width. */
const MAX_SUMS = 20_000
/** Maximum number of sets in memory, about 100 MB; enough for thousands of offers, whose later, dearer ones improve few sums. */
const MAX_SETS = 8_000_000

/** Allows for floating-point noise in sums: a maximum counts as kept up to this much more. */
export const upTo = (max: number): number => max * (1 + 1e-9)
/** The same for a minimum. */
export const atLeast = (min: number): number => min * (1 - 1e-9)

/**
 * The awards that no other one beats: none has at least as many tonnes, within the maximum, for less.
 *
 * The 0/1 knapsack for all capacities at once: the cheapest set for every sum of tonnes that whole offers can have, offer by offer.
 * Dominated sets are dropped at the end only: with a maximum, a dearer and smaller part can be the one to go on with. With more than
 * MAX_SUMS different sums, those in one cell of width max / MAX_SUMS compete, each with its true tonnes.
 *
 * Ties go to fewer offers, then to the cheaper offers per tonne and those that come first. Time: offers × sums.
 * @param max tonnes of an award at most
 */
export function efficientAwards<L extends Lot>(lots: readonly L[], max: number): EfficientAwards<L> {
  const order = lots.map((_, at) => at).filter((at) => tonnesOf(lots, at) <= upTo(max))
  // Cheapest first, so that few sets are ever replaced.
  order.sort((a, b) => perTonne(lots, a) - perTonne(lots, b) || a - b)
  const sets = createSetList()
  let sums = createSums()
  let next = createSums()
  let width = 0
  let exact = true
  for (const at of order) {
    if (sets.isFull()) {
      exact = false
      break
    }
    const { tonnes, cost } = lots[at] as L
    next.reset(2 * sums.size)
    exact = merge(sums, next, { lot: at, tonnes, cost, max: upTo(max), width }, sets) && exact
    if (next.size > MAX_SUMS + 1 && width === 0) {
      width = max / MAX_SUMS
      exact = merge(next, sums.reset(next.size), { ...NO_LOT, max: -1, width }, sets) && exact
    } else {
      const swapped = sums
      sums = next
      next = swapped
    }
  }
  const awardsUpTo = (most: number) => removeDominated(sums, upTo(most)).map((at) => awardSet(at, sums, sets, lots))
  const awards = awardsUpTo(max)
  // In cells, the set of all offers may have been dropped for a smaller, cheaper one.
  const all = setOfAll(order.sort((a, b) => a - b).map((at) => lots[at] as L))
  if (!exact && all.tonnes <= upTo(max) && all.tonnes > (awards.at(-1)?.tonnes ?? 0)) awards.push(all)
  return { awards, exact, awardsUpTo }
}

const setOfAll = <L extends Lot>(lots: L[]): AwardSet<L> => ({
  tonnes: sum(lots.map(({ tonnes }) => tonnes)),
  cost: sum(lots.map(({ cost }) => cost)),
  lots: () => lots,
})

const tonnesOf = (lots: readonly Lot[], at: number) => lots[at]?.tonnes ?? 0
const perTonne = (lots: readonly Lot[], at: number) => (lots[at]?.cost ?? 0) / (lots[at]?.tonnes ?? 1)

/** The empty set. */
const NO_SET = -1
const NO_LOT = { lot: -1, tonnes: 0, cost: 0 }
/** Costs that differ by a smaller share are equal. */
const NOISE = 1e-12

type SetList = ReturnType<typeof createSetList>

/** Sets as linked lists: an offer, and the set it was added to. */
function createSetList() {
  let offers = new Int32Array(64)
  let parents = new Int32Array(64)
  let sizes = new Int32Array(64)
  let count = 0
  return {
    isFull: () => count > MAX_SETS,
    sizeOf: (set: number) => (set === NO_SET ? 0 : (sizes[set] as number)),
    /** A set with one more offer. */
    add(offer: number, parent: number): number {
      if (count === offers.length) {
        offers = doubleLength(offers)
        parents = doubleLength(parents)
        sizes = doubleLength(sizes)
      }
      offers[count] = offer
      parents[count] = parent
      sizes[count] = parent === NO_SET ? 1 : (sizes[parent] ?? 0) + 1
      return count++
    },
    offersOf(set: number): number[] {
      const members: number[] = []
      for (let each = set; each !== NO_SET; each = parents[each] ?? NO_SET) members.push(offers[each] ?? 0)
      return members.sort((a, b) => a - b)
    },
  }
}

function doubleLength(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}

/** Sums of tonnes, ascending, each with the cost and the set that is best for it. */
type Sums = ReturnType<typeof createSums>

function createSums() {
  const sums = {
    tonnes: new Float64Array(1),
    costs: new Float64Array(1),
    sets: new Int32Array(1).fill(NO_SET),
    /** It begins with the empty set. */
    size: 1,
    /** With room for a number of sums, which replace those it has. */
    reset(needed: number) {
      if (needed > sums.tonnes.length) {
        sums.tonnes = new Float64Array(2 * needed)
        sums.costs = new Float64Array(2 * needed)
        sums.sets = new Int32Array(2 * needed)
      }
      return sums
    },
  }
  return sums
}

interface Addition extends Lot {
  /** Its position in the input. */
  lot: number
  max: number
  /** Of a cell in tonnes; 0: every sum has its own. */
  width: number
}

/**
 * Writes the sums of `from`, and the same with one more offer, to `into`, in order; the better one where they meet.
 * @returns false if two different sums met in a cell
 */
function merge(from: Sums, into: Sums, { lot, tonnes, cost, max, width }: Addition, { add, sizeOf }: SetList): boolean {
  const { tonnes: sums, costs, sets, size } = from
  const { tonnes: sumsInto, costs: costsInto, sets: setsInto } = into
  let [old, added, last, lastCell] = [0, 0, -1, -1]
  const isSmallerSet = (set: number, isNew: boolean, other: number) => sizeOf(set) + Number(isNew) < sizeOf(other)
  let exact = true
  for (;;) {
    const newSum = added < size ? (sums[added] as number) + tonnes : Number.POSITIVE_INFINITY
    const isNew = newSum <= max && (old >= size || newSum < (sums[old] as number))
    if (!isNew && old >= size) break
    const at = isNew ? added++ : old++
    const sum = isNew ? newSum : (sums[at] as number)
    const value = isNew ? (costs[at] as number) + cost : (costs[at] as number)
    const cell = width > 0 ? Math.floor(sum / width) : sum
    if (cell === lastCell) {
      const before = costsInto[last] as number
      if (sum !== sumsInto[last]) exact = false
      // What comes later in a cell has at least as many tonnes.
      const isEqual = Math.abs(value - before) <= before * NOISE
      const isLarger = sum > (sumsInto[last] as number)
      if (isEqual ? !isLarger && !isSmallerSet(sets[at] as number, isNew, setsInto[last] as number) : value > before)
        continue
    } else {
      last++
      lastCell = cell
    }
    sumsInto[last] = sum
    costsInto[last] = value
    setsInto[last] = isNew ? add(lot, sets[at] as number) : (sets[at] as number)
  }
  into.size = last + 1
  return exact
}

/** Positions of the sums that no other one beats, ascending; without the empty set. */
function removeDominated({ tonnes, costs, size }: Sums, max: number): number[] {
  const kept: number[] = []
  let lowest = Number.POSITIVE_INFINITY
  for (let at = size - 1; at >= 0 && (tonnes[at] ?? 0) > 0; at--) {
    const cost = costs[at] ?? 0
    if ((tonnes[at] ?? 0) > max || cost > lowest * (1 + NOISE)) continue
    lowest = Math.min(lowest, cost)
    kept.push(at)
  }
  return kept.reverse()
}

function awardSet<L extends Lot>(
  at: number,
  { tonnes, costs, sets: setOf }: Sums,
  sets: SetList,
  lots: readonly L[],
): AwardSet<L> {
  const set = setOf[at] ?? NO_SET
  return {
    tonnes: tonnes[at] ?? 0,
    cost: costs[at] ?? 0,
    lots: () => sets.offersOf(set).map((index) => lots[index] as L),
  }
}
