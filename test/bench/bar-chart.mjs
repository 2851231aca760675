const WIDTH = 640
const LABEL_WIDTH = 200
const ROW_HEIGHT = 28

/** A bar chart of ratios as SVG, with a line at the baseline. */
export function barChart({ title, bars }) {
  const max = Math.max(1, ...bars.map(([, value]) => value))
  const scale = (WIDTH - LABEL_WIDTH - 70) / max
  const height = 40 + bars.length * ROW_HEIGHT
  const rows = bars.map(([label, value], index) => {
    const y = 36 + index * ROW_HEIGHT
    const end = LABEL_WIDTH + value * scale
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y + 15}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${(value * scale).toFixed(1)}" height="20" fill="#2f7d4f"/>`,
      `<text x="${(end + 6).toFixed(1)}" y="${y + 15}">${value.toFixed(2)} ×</text>`,
    ].join('')
  })
  const base = LABEL_WIDTH + scale
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" role="img">
<title>${escapeXml(title)}</title>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<text x="8" y="20" font-weight="bold">${escapeXml(title)}</text>
${rows.join('\n')}
<line x1="${base.toFixed(1)}" x2="${base.toFixed(1)}" y1="30" y2="${height - 4}" stroke="#888888" stroke-dasharray="4 3"/>
</svg>
`
}

const escapeXml = (text) => String(text).replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
