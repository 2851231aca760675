/**
 * What makes pages better with JavaScript; each works without: times of the reader, pages that follow changes, and buttons that copy.
 * Plain JavaScript for the browser, served as it is.
 */

const main = document.getElementById('main')
/** Milliseconds between two looks for changes. */
const INTERVAL = 3_000

localizeTimes(document)
followChanges()
addCopyButtons()

/** Writes moments in the time zone of the reader; without JavaScript, they are in UTC. */
function localizeTimes(root) {
  const zone = root.querySelector('#zone')
  if (zone) zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone || 'your local time'
  for (const element of root.querySelectorAll('time[datetime]')) {
    const iso = element.dateTime
    const local = localMinute(new Date(iso))
    const { now } = element.dataset
    if (local === null) continue
    if (now) element.textContent = nameDay(local, new Date(now))
    else element.textContent = element.textContent.replace(iso.slice(0, 16).replace('T', ' '), local)
  }
}

function localMinute(at) {
  if (Number.isNaN(at.getTime())) return null
  const two = (number) => String(number).padStart(2, '0')
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** A minute with the name of its day, if that is today or yesterday. */
function nameDay(local, now) {
  for (const name of ['today', 'yesterday']) {
    if (local.slice(0, 10) === localMinute(now).slice(0, 10)) return name + local.slice(10)
    now.setDate(now.getDate() - 1)
  }
  return local
}

/** Loads the page again in the background when something was polled, and shows what changed; a hidden page when it is shown. */
function followChanges() {
  if (main?.dataset.pulse === undefined) return
  async function look() {
    if (document.hidden) return
    try {
      const pulse = await fetch('/pulse')
      if (!pulse.ok || (await pulse.text()) === main.dataset.pulse) return
      const response = await fetch(location.href, { headers: { accept: 'text/html' } })
      if (response.ok && !response.redirected) show(new DOMParser().parseFromString(await response.text(), 'text/html'))
    } catch {
      // The service may be restarting; the next look tries again.
    }
  }
  setInterval(look, INTERVAL)
  document.addEventListener('visibilitychange', look)
}

/** @param {Document} fresh the page as it is now */
function show(fresh) {
  localizeTimes(fresh)
  for (const selector of ['.rail nav', '.fresh'])
    document.querySelector(selector)?.replaceWith(fresh.querySelector(selector) ?? '')
  const next = fresh.getElementById('main')
  if (next === null) return
  main.dataset.pulse = next.dataset.pulse
  const isInUse = main.contains(document.activeElement) || !getSelection()?.isCollapsed
  if (main.dataset.live === 'replace' && !isInUse) main.replaceChildren(...next.childNodes)
  else if (lastingText(main) !== lastingText(next)) offerReload()
  else
    for (const [at, element] of main.querySelectorAll('[data-volatile]').entries())
      element.textContent = next.querySelectorAll('[data-volatile]')[at]?.textContent ?? ''
}

/** Text of the page without what differs each time that it is loaded: how old something is, and the axis of a chart that ends now. */
function lastingText(element) {
  const copy = element.cloneNode(true)
  for (const part of copy.querySelectorAll('#newer, [data-volatile], [data-added], svg')) part.remove()
  return copy.textContent
}

/** The reader is busy, or would lose their place: says that there is something new instead. */
function offerReload() {
  if (document.getElementById('newer')) return
  const notice = document.createElement('p')
  Object.assign(notice, { id: 'newer', className: 'notice warn noprint', role: 'status' })
  const link = Object.assign(document.createElement('a'), { href: location.href, textContent: 'Load it again' })
  notice.append('This page has changed. ', link)
  main.prepend(notice)
}

/** Adds a button to each text that is made to be copied. */
function addCopyButtons() {
  for (const text of document.querySelectorAll('pre.copy')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' })
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text.textContent ?? '')
        button.textContent = 'Copied'
      } catch {
        // Browsers have no clipboard for pages without TLS: selected, it can be copied with the keyboard.
        getSelection()?.selectAllChildren(text)
        button.textContent = 'Selected: press Ctrl+C'
      }
    })
    button.dataset.added = ''
    text.after(button)
  }
}
