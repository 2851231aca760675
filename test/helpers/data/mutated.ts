import fc from 'fast-check'

type Place = { holder: Record<string, unknown>; key: string }

/** Copies of a document in which some of its values, at any depth, are others. */
export const mutated = <T>(document: T, junk: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<T> =>
  fc.array(fc.tuple(fc.nat(1e6), junk), { maxLength }).map((mutations) => {
    const copy = structuredClone(document)
    for (const [number, value] of mutations) {
      const places = placesOf(copy)
      const place = places[number % places.length]
      if (place !== undefined) place.holder[place.key] = structuredClone(value)
    }
    return copy
  })

const placesOf = (value: unknown): Place[] =>
  value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([key, member]) => [
        { holder: value as Record<string, unknown>, key },
        ...placesOf(member),
      ])
