/**
 * Repeatable random values. A value depends only on the seed and on the name it is generated for, never on earlier
 * values, so closing one RFQ changes nothing else in the world.
 */
export class SeededRandom {
  constructor(readonly seed: number) {}

  /** The values for a name. */
  values(name: string): RandomValues {
    return new RandomValues(generator(`${this.seed}/${name}`))
  }

  /** The UUID (version 4 form) for a name. */
  uuid(name: string): string {
    const next = generator(`${this.seed}/uuid/${name}`)
    const hex = Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join('')
    const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}

/** A sequence of random values. */
export class RandomValues {
  readonly #next: () => number

  /** @param next returns unsigned 32-bit numbers */
  constructor(next: () => number) {
    this.#next = next
  }

  /** From `min`, below `max`. */
  number(min: number, max: number): number {
    return min + (this.#next() / 2 ** 32) * (max - min)
  }
  /** An integer, both limits included. */
  integer(min: number, max: number): number {
    return Math.floor(this.number(min, max + 1))
  }
  /** True with this probability. */
  chance(probability: number): boolean {
    return this.number(0, 1) < probability
  }
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[list.length > 1 ? this.integer(0, list.length - 1) : 0] as T
  }
  /** So many of a list, in random order. */
  sample<T>(list: readonly T[], count: number): T[] {
    const shuffled = [...list]
    const first = Math.max(0, list.length - count)
    for (let index = list.length - 1; index >= Math.max(1, first); index--) {
      const other = this.integer(0, index)
      ;[shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T]
    }
    return shuffled.slice(first)
  }
  /** One of several values, with their weights. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0)
    let left = this.number(0, total)
    for (const [weight, value] of choices) {
      if (left < weight) return value
      left -= weight
    }
    throw new RangeError('There is nothing to choose from.')
  }
}

/** sfc32 (PractRand, Chris Doty-Humphrey), seeded with a 128-bit hash of the text; returns unsigned 32-bit numbers. */
function generator(text: string): () => number {
  let [a, b, c, counter] = hash128(text)
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  for (let round = 0; round < 12; round++) next()
  return next
}

/** cyrb128: four interleaved multiplicative hashes, mixed at the end. */
function hash128(text: string): [number, number, number, number] {
  let h1 = 1779033703
  let h2 = 3144134277
  let h3 = 1013904242
  let h4 = 2773480762
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    h1 = h2 ^ Math.imul(h1 ^ code, 597399067)
    h2 = h3 ^ Math.imul(h2 ^ code, 2869860233)
    h3 = h4 ^ Math.imul(h3 ^ code, 951274213)
    h4 = h1 ^ Math.imul(h4 ^ code, 2716044179)
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597399067)
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2869860233)
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951274213)
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2716044179)
  return [h1 ^ h2 ^ h3 ^ h4, h2 ^ h1, h3 ^ h1, h4 ^ h1]
}
