/**
 * Colours, ARGB. `ink` is the colour of text, `paper` the background, `band` the background of groups of rows; `goodInk` is that of text on
 * `good`. Colour never carries information that is not also given as text.
 */
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

/** The same for dark mode. Text on `head` and `section` has colours of its own: `paper` and `head` would be too dark. */
export const darkPalette: Record<keyof typeof palette | 'headInk' | 'sectionInk', string> = {
  ink: 'FFE4E9ED',
  muted: 'FFA3B0BB',
  paper: 'FF14191D',
  band: 'FF1C2328',
  line: 'FF36424A',
  head: 'FF1D4E5A',
  headInk: 'FFFFFFFF',
  section: 'FF203239',
  sectionInk: 'FFA9D3DE',
  link: 'FF7DB9F0',
  good: 'FF17361F',
  goodInk: 'FF93D8A2',
  warn: 'FF3D3010',
  warnInk: 'FFEFC569',
  bad: 'FF431E1B',
  badInk: 'FFF4A29A',
  input: 'FF37331B',
  inputInk: 'FFA9C4FF',
  bar: 'FF20414A',
}
