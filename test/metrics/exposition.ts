/** A sample of the text format of Prometheus. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads the text format of Prometheus, without escapes in label values. */
export function parseSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (match === null || line.startsWith('#')) return []
    const [, name = '', labels = '', value = ''] = match
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text] as const)
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}
