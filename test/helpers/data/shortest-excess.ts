/** The shortest time within which one more request started than allowed, in milliseconds. */
export function shortestExcess(starts: readonly number[], allowed: number): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let i = allowed; i < starts.length; i++)
    shortest = Math.min(shortest, (starts[i] as number) - (starts[i - allowed] as number))
  return shortest
}
