import type { Faker, Randomizer } from '@faker-js/faker'
// Loading only the English locale is ten times faster than loading the whole package.
import { faker as english } from '@faker-js/faker/locale/en'

/**
 * Repeatable random values. A value depends only on the seed and on the name it is generated for, never on earlier
 * values, so closing one RFQ changes nothing else in the world.
 */
export class SeededRandom {
  readonly #randomizer = new NamedRandomizer()
  readonly #faker: Faker

  constructor(readonly seed: number) {
    const FakerClass = english.constructor as typeof Faker
    this.#faker = new FakerClass({ locale: english.rawDefinitions, randomizer: this.#randomizer })
  }

  /** A faker seeded for a name. The object is shared: finish using it before asking for the next one. */
  faker(name: string): Faker {
    this.#randomizer.reseed(`${this.seed}/${name}`)
    return this.#faker
  }

  /** The UUID (version 4 form) for a name. */
  uuid(name: string): string {
    const next = generator(`${this.seed}/uuid/${name}`)
    const hex = Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join('')
    const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}

/** Reseeds faker for each name in about a microsecond; faker's own generator takes a hundred. */
class NamedRandomizer implements Randomizer {
  #next = generator('')
  reseed(name: string): void {
    this.#next = generator(name)
  }
  // An arrow function, because faker calls it without `this`.
  readonly next = (): number => this.#next() / 2 ** 32
  seed(seed: number | number[]): void {
    this.reseed(String(seed))
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
