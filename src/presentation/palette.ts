/** Colours, ARGB. Colour never carries information that is not also given as text. */
export const palette = {
  ink: 'FF1F2933',
  muted: 'FF5F6B76',
  paper: 'FFFFFFFF',
  band: 'FFF3F6F8',
  line: 'FFD3DBE1',
  head: 'FF1D4E5A',
  section: 'FFDCE9EC',
  input: 'FFFFF7D6',
  inputInk: 'FF1746A2',
  link: 'FF0B5CAD',
  good: 'FFE2F2E5',
  goodInk: 'FF1C6432',
  warn: 'FFFFF0D1',
  warnInk: 'FF7F5200',
  bad: 'FFFBE1DE',
  badInk: 'FF99271C',
  /** Data bars: light, so that the figure on top stays legible. */
  bar: 'FFC9E2E8',
} as const
