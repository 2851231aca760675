/**
 * The colours of pages, on light and on dark screens; paper, workbooks and e-mails are light. Text is `ink`, or `muted`; `band` is behind
 * groups of rows; `good`, `warn` and `bad` are behind states, with text in `goodInk` and so on. Each pair of text and background has a
 * contrast of at least 4.5 : 1, and colour never carries what is not also said in words.
 */
const COLOURS = {
  ink: ['#1F2933', '#E4E9ED'],
  muted: ['#52606B', '#A3B0BB'],
  paper: ['#FFFFFF', '#161C20'],
  page: ['#FFFFFF', '#12171B'],
  band: ['#F5F7F8', '#1A2126'],
  line: ['#E3E8EC', '#2A343B'],
  edge: ['#75828E', '#7C8994'],
  brand: ['#1D4E5A', '#1D4E5A'],
  brandInk: ['#FFFFFF', '#FFFFFF'],
  section: ['#DCE9EC', '#203239'],
  sectionInk: ['#1D4E5A', '#A9D3DE'],
  link: ['#0B5CAD', '#8AC2F5'],
  good: ['#E2F2E5', '#17361F'],
  goodInk: ['#1C6432', '#93D8A2'],
  warn: ['#FFF0D1', '#3D3010'],
  warnInk: ['#7F5200', '#EFC569'],
  bad: ['#FBE1DE', '#431E1B'],
  badInk: ['#99271C', '#F4A29A'],
  past: ['#FFF7D6', '#37331B'],
  pastInk: ['#5C4A00', '#F0DF9A'],
  input: ['#FFF7D6', '#37331B'],
  inputInk: ['#1746A2', '#A9C4FF'],
} as const
export type Colour = keyof typeof COLOURS

/** A colour of the light theme, such as `#1F2933`. */
export const lightColour = (name: Colour): string => COLOURS[name][0]

/** Page title, section heading, text, small text; the spacing scale. There are no other sizes. */
export const SIZES = {
  ...{ t1: '1.25rem', t2: '0.9375rem', t3: '0.875rem', t4: '0.78125rem' },
  ...{ s1: '4px', s2: '8px', s3: '12px', s4: '16px', s5: '24px', s6: '32px' },
}

/** The fonts that systems have. */
export const FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif'

const VARIABLES = [
  ...Object.entries(COLOURS).map(([name, [light, dark]]) => `--${name.toLowerCase()}:light-dark(${light},${dark})`),
  ...Object.entries(SIZES).map(([name, size]) => `--${name}:${size}`),
]

/** The variables of a style sheet, such as `var(--ink)`, `var(--t3)` and `var(--s2)`: light on paper, dark if the reader prefers. */
export const THEME_STYLE = `:root{color-scheme:light dark;${VARIABLES.join(';')}}
@media print{:root{color-scheme:light}}`
