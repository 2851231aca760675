/**
 * What makes pages better with JavaScript; each works without. Live lists, shortcuts of the keyboard, and a slider for the
 * time machine. Plain JavaScript for the browser, served as it is.
 */

const SHORTCUTS_OFF = 'quotekeeper.shortcuts.off'
const main = document.getElementById('main')

localizeTimes(document)
nameZone()
openTarget()
addEventListener('hashchange', openTarget)
followChanges()
addShortcuts()
addSlider()
addCopyButtons()

/**
 * Loads the page again in the background when something was polled, and shows what changed. A hidden page listens to
 * nothing, because browsers allow six connections per server, and catches up when it is shown.
 */
function followChanges() {
  const isPast = new URLSearchParams(location.search).has('as_of')
  if (!window.EventSource || isPast || main?.dataset.live === undefined) return
  let events = null
  let loading = false
  async function load() {
    if (loading) return
    loading = true
    try {
      const response = await fetch(location.href, { headers: { accept: 'text/html' } })
      if (response.ok && !response.redirected) show(new DOMParser().parseFromString(await response.text(), 'text/html'))
    } catch {
      // The service may be restarting; the next event tries again.
    } finally {
      loading = false
    }
  }
  function follow() {
    events?.close()
    events = document.hidden ? null : new EventSource('/events')
    events?.addEventListener('change', load)
  }
  follow()
  document.addEventListener('visibilitychange', () => {
    follow()
    if (!document.hidden) void load()
  })
  addEventListener('pagehide', () => events?.close())
}

/** @param {Document} fresh the page as it is now */
function show(fresh) {
  localizeTimes(fresh)
  replace('.fresh summary', fresh)
  replace('.rail nav', fresh)
  const isInUse = main.contains(document.activeElement) || !getSelection()?.isCollapsed
  if (main.dataset.live === 'replace' && !isInUse) {
    const scrolled = [...main.querySelectorAll('.scroll')].map(({ scrollTop, scrollLeft }) => [scrollTop, scrollLeft])
    replace('#main', fresh, true)
    for (const [at, element] of [...main.querySelectorAll('.scroll')].entries())
      element.scrollTo(scrolled[at]?.[1] ?? 0, scrolled[at]?.[0] ?? 0)
  } else if (lastingText(main) !== lastingText(fresh.getElementById('main'))) offerReload()
  else updateVolatile(fresh)
}

/**
 * Text of the page without what differs each time that it is loaded: how old something is, and the axis of a chart that ends
 * now. The figures of charts are in tables too.
 */
function lastingText(element) {
  const copy = element?.cloneNode(true)
  for (const part of copy?.querySelectorAll('#newer, [data-volatile], [data-added], svg') ?? []) part.remove()
  return copy?.textContent
}

function updateVolatile(fresh) {
  const next = fresh.querySelectorAll('main [data-volatile]')
  for (const [at, element] of main.querySelectorAll('[data-volatile]').entries())
    element.textContent = next[at]?.textContent ?? ''
}

function replace(selector, fresh, contentOnly = false) {
  const [old, next] = [document.querySelector(selector), fresh.querySelector(selector)]
  if (old === null || next === null) return
  if (contentOnly) old.replaceChildren(...next.childNodes)
  else old.replaceWith(next)
}

/** Writes moments in the time zone of the reader; without JavaScript, they are in UTC. */
function localizeTimes(root) {
  for (const element of root.querySelectorAll('time[datetime], option[data-at]')) {
    const iso = element.dateTime ?? element.dataset.at
    const local = localMinute(new Date(iso))
    if (local === null) continue
    const { day, now } = element.dataset
    // With `data-day`, that day stands nearby.
    if (day !== undefined) element.textContent = local.startsWith(day) ? local.slice(11) : local
    else if (now) element.textContent = nameDay(local, new Date(now))
    else element.textContent = element.textContent.replace(iso.slice(0, 16).replace('T', ' '), local)
  }
}

function localMinute(at) {
  if (Number.isNaN(at.getTime())) return null
  const two = (number) => String(number).padStart(2, '0')
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Opens what a link of the page leads to. */
function openTarget() {
  document.querySelector(':target')?.closest('details')?.setAttribute('open', '')
}

/** A minute with the name of its day, if that is today or yesterday. */
function nameDay(local, now) {
  for (const name of ['today', 'yesterday']) {
    if (local.slice(0, 10) === localMinute(now).slice(0, 10)) return name + local.slice(10)
    now.setDate(now.getDate() - 1)
  }
  return local
}

function nameZone() {
  const zone = document.getElementById('zone')
  if (zone) zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone || 'your local time'
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

/** The reader is busy, or would lose their place: says that there is something new instead. */
function offerReload() {
  if (document.getElementById('newer')) return
  const notice = document.createElement('p')
  notice.id = 'newer'
  notice.className = 'notice warn newer noprint'
  notice.setAttribute('role', 'status')
  const link = document.createElement('a')
  link.href = location.href
  link.textContent = 'Load it again'
  notice.append('This page has changed. ', link)
  main.prepend(notice)
}

/** `/` search, `j` and `k` next and previous row, `?` help. They can be turned off. */
function addShortcuts() {
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea, dialog')
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return
    if (event.key === '?') showHelp()
    else if (areShortcutsOff()) return
    else if (event.key === '/') focusSearch()
    else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1)
    else return
    event.preventDefault()
  })
}

function focusSearch() {
  const search = document.getElementById('search')
  if (search instanceof HTMLInputElement) search.select()
}

/** Moves the focus to the link of another row. */
function moveRow(step) {
  const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => row.querySelector('a'))
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[current === -1 ? (step > 0 ? 0 : rows.length - 1) : current + step]
  next?.querySelector('a')?.focus()
}

function showHelp() {
  const known = document.querySelector('dialog.shortcuts')
  if (known instanceof HTMLDialogElement) return known.showModal()
  const dialog = document.createElement('dialog')
  dialog.className = 'shortcuts'
  dialog.setAttribute('aria-labelledby', 'shortcuts-title')
  const title = document.createElement('h2')
  title.id = 'shortcuts-title'
  title.textContent = 'Keyboard'
  const list = document.createElement('dl')
  for (const [key, words] of [
    ['/', 'search'],
    ['j', 'next row'],
    ['k', 'previous row'],
    ['Enter', 'open the row'],
    ['?', 'this help'],
  ]) {
    const [term, description] = [document.createElement('dt'), document.createElement('dd')]
    term.append(Object.assign(document.createElement('kbd'), { textContent: key }))
    description.textContent = words
    list.append(term, description)
  }
  const label = document.createElement('label')
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: !areShortcutsOff() })
  box.addEventListener('change', () => localStorage.setItem(SHORTCUTS_OFF, box.checked ? '' : '1'))
  label.append(box, ' Use the keys /, j and k')
  const form = Object.assign(document.createElement('form'), { method: 'dialog' })
  form.append(Object.assign(document.createElement('button'), { textContent: 'Close' }))
  dialog.append(title, list, label, form)
  document.body.append(dialog)
  return dialog.showModal()
}

function areShortcutsOff() {
  try {
    return localStorage.getItem(SHORTCUTS_OFF) === '1'
  } catch {
    return false
  }
}

/** Adds a slider to the list of moments: the oldest at the left, now at the right, with marks where another
 * award was recommended. */
function addSlider() {
  const select = document.querySelector('.timestrip select')
  if (!(select instanceof HTMLSelectElement) || select.options.length < 2) return
  const last = select.options.length - 1
  const slider = Object.assign(document.createElement('input'), {
    type: 'range',
    min: '0',
    max: String(last),
    step: '1',
  })
  slider.value = String(last - select.selectedIndex)
  slider.setAttribute('aria-label', 'Moment at which something changed')
  const describe = () => slider.setAttribute('aria-valuetext', select.options[last - Number(slider.value)]?.text ?? '')
  describe()
  slider.addEventListener('input', () => {
    select.selectedIndex = last - Number(slider.value)
    describe()
  })
  slider.addEventListener('change', () => select.form?.requestSubmit())
  select.before(slider)
  const marks = Object.assign(document.createElement('datalist'), { id: 'moments' })
  for (const [at, option] of [...select.options].entries())
    if (option.dataset.mark !== undefined)
      marks.append(Object.assign(document.createElement('option'), { value: String(last - at) }))
  slider.setAttribute('list', marks.id)
  select.before(marks)
}
