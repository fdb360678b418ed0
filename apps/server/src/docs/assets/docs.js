// The script of documentation pages: theme, copying, the reader's own address and write key in code, and search
// suggestions. Pages can be read and searched without it.
'use strict'
;(() => {
  /** @typedef {{ name: string, title: string }} Named */
  /** @typedef {Named & { app: { catalog_app: string } }} Source */
  /** @typedef {{ workspace?: string, source?: string }} Choice */
  /** @typedef {{ path: string, title: string, heading: string, passage: { text: string, match: boolean }[] }} Hit */

  /** Reads what the web application has stored under a name. @param {string} name @returns {Record<string, any>} */
  const stored = (name) => {
    try {
      return JSON.parse(localStorage.getItem(name) ?? '{}') ?? {}
    } catch {
      return {}
    }
  }

  // The keys are those of apps/web/src/lib/browser/ui-store.ts and session.ts.
  const theme = stored('tributary-ui').state?.theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme

  /**
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Tag} tag @param {Record<string, string>} attributes @param {(Node | string)[]} children
   * @returns {HTMLElementTagNameMap[Tag]}
   */
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    made.append(...children)
    return made
  }

  /** Copies text to the clipboard, even if the page is not served over HTTPS. @param {string} text */
  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      const area = element('textarea', { class: 'sr-only' })
      area.value = text
      document.body.append(area)
      area.select()
      const done = document.execCommand('copy')
      area.remove()
      return done
    }
  }

  const wireCopying = () => {
    const said = element('p', { class: 'sr-only', role: 'status' })
    document.body.append(said)
    for (const button of document.querySelectorAll('button.copy')) {
      if (!(button instanceof HTMLButtonElement)) continue
      button.hidden = false
      button.addEventListener('click', async () => {
        const done = await copyText(button.closest('figure')?.querySelector('pre')?.textContent?.trimEnd() ?? '')
        button.textContent = done ? 'Copied' : 'Select the text to copy it'
        said.textContent = done ? 'Snippet copied' : 'Could not copy'
        button.classList.toggle('done', done)
        setTimeout(() => {
          button.textContent = 'Copy'
          button.classList.remove('done')
          said.textContent = ''
        }, 1500)
      })
    }
  }

  /** Replaces a placeholder in all code with the reader's value. @param {string} name @param {string} value */
  const fill = (name, value) => {
    for (const place of document.querySelectorAll(`[data-fill="${name}"]`)) place.textContent = value
  }

  /** @param {string | undefined} key */
  const fillKey = (key) => {
    fill('writeKey', key ?? 'YOUR_WRITE_KEY')
    for (const place of document.querySelectorAll('[data-fill="writeKey"]'))
      place.classList.toggle('own', key !== undefined)
  }

  /**
   * Reads all rows of an API list. Throws an Error with the status as its message. @param {string} path @param {string}
   * key
   */
  const readAll = async (path, key) => {
    const rows = []
    let token = ''
    do {
      const query = new URLSearchParams({ page_size: '1000', ...(token === '' ? {} : { page_token: token }) })
      const response = await fetch(`/api/${path}${path.includes('?') ? '&' : '?'}${query}`, {
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${stored('tributary-session').state?.accessToken}`,
        },
      })
      if (!response.ok) throw new Error(String(response.status))
      const answer = await response.json()
      rows.push(...answer[key])
      token = answer.next_page_token
    } while (token !== '')
    return rows
  }

  const choiceKey = 'tributary-docs'

  /** @param {string} label @param {Named[]} options @param {string} chosen @param {(name: string) => void} onChoose */
  const picker = (label, options, chosen, onChoose) => {
    const select = element('select', {}, ...options.map(({ name, title }) => element('option', { value: name }, title)))
    select.value = chosen
    select.addEventListener('change', () => onChoose(select.value))
    return element('label', {}, label, select)
  }

  /** Puts sources of the page's app first. @param {Source[]} sources */
  const fittingFirst = (sources) => {
    const app = document.body.dataset.app
    return app === undefined
      ? sources
      : sources.toSorted((a, b) => Number(b.app.catalog_app === app) - Number(a.app.catalog_app === app))
  }

  /**
   * The source whose key is shown. The wanted source is replaced by one of the page's app, unless the reader is sure.
   * `sources` must begin with those of the page's app.
   * @param {Source[]} sources @param {string | undefined} wanted @param {boolean} sure
   */
  const sourceFor = (sources, wanted, sure) => {
    const found = sources.find(({ name }) => name === wanted)
    if (sure || found === undefined) return found ?? sources[0]
    const { app } = document.body.dataset
    return sources[0]?.app.catalog_app === app && found.app.catalog_app !== app ? sources[0] : found
  }

  /**
   * Reads the workspaces and sources to choose from, and the key of the chosen source. The server returns a key only to
   * users who may read it. Undefined for a signed-out reader.
   * @param {Choice} choice @param {boolean} sure
   */
  const readKeys = async (choice, sure) => {
    const { state } = stored('tributary-session')
    if (!state?.accessToken) return undefined
    // A user acting for another organization gets its workspace before their own.
    const acting = state.actOnBehalfOf?.workspace
    const own = await readAll('workspaces', 'workspaces')
    /** @type {Named[]} */
    const workspaces = acting === undefined ? own : [acting, ...own]
    const last = choice.workspace ?? stored('tributary-ui').state?.lastWorkspace
    const workspace = workspaces.find(({ name }) => name === last) ?? workspaces[0]
    if (workspace === undefined) return { workspaces, workspace, sources: [], source: undefined, key: undefined }
    const sources = fittingFirst(await readAll(`${workspace.name}/sources`, 'sources'))
    const source = sourceFor(sources, choice.source, sure)
    if (source === undefined) return { workspaces, workspace, sources, source, key: undefined }
    const keys = await readAll(`${workspace.name}/writekeys?source=${encodeURIComponent(source.name)}`, 'writekeys')
    return { workspaces, workspace, sources, source, key: keys[0]?.key }
  }

  /** The text of the bar if there is no key to choose. @param {unknown} [error] */
  const withoutKeys = (error) => {
    if (error === undefined) {
      const signIn = element('a', { href: '/auth/login', target: '_blank' }, 'Sign in')
      const words = ' to have the write key of your source filled in. Until then, put it where YOUR_WRITE_KEY stands.'
      return element('p', {}, signIn, words)
    }
    const ended = error instanceof Error && error.message === '401'
    return element(
      'p',
      {},
      ended
        ? 'Your session has ended: sign in again to have your write key filled in.'
        : 'Your write key could not be read. Put it where YOUR_WRITE_KEY stands.',
    )
  }

  /**
   * Shows the bar with the source whose key is in the page's code, and lets the reader choose another. @param
   * {HTMLElement} bar
   */
  const showKeys = (bar) => {
    let turn = 0
    /** @param {string | undefined} key @param {Node[]} children */
    const show = (key, ...children) => {
      fillKey(key)
      bar.replaceChildren(...children)
      bar.hidden = children.length === 0
    }
    /** @param {Choice} choice @param {boolean} [sure] */
    const draw = async (choice, sure = false) => {
      const mine = ++turn
      try {
        const read = await readKeys(choice, sure)
        if (mine !== turn) return
        if (read === undefined) return show(undefined, withoutKeys())
        const { workspaces, workspace, sources, source, key } = read
        if (workspace === undefined) return show(undefined)
        const { name } = workspace
        const pickers = [
          workspaces.length > 1 && picker('Workspace', workspaces, name, (other) => choose({ workspace: other })),
          source && picker('Source', sources, source.name, (other) => choose({ workspace: name, source: other })),
        ]
        show(key, ...pickers.filter((each) => each instanceof Node), noteOf(workspace, source, key !== undefined))
      } catch (error) {
        if (mine === turn) show(undefined, withoutKeys(error))
      }
    }
    /** @param {Choice} choice */
    const choose = (choice) => {
      try {
        localStorage.setItem(choiceKey, JSON.stringify(choice))
      } catch {
        // If the browser offers no storage, the choice applies to this page only.
      }
      void draw(choice, true)
    }
    const asked = new URLSearchParams(location.search).get('source') ?? ''
    const workspace = /^workspaces\/[^/]+(?=\/sources\/[^/]+$)/.exec(asked)?.[0]
    if (workspace === undefined) void draw(stored(choiceKey))
    else choose({ workspace, source: asked })
    addEventListener('storage', ({ key }) => {
      if (key === 'tributary-session') void draw(stored(choiceKey))
    })
  }

  /** @param {Named} workspace @param {Source | undefined} source @param {boolean} hasKey */
  const noteOf = (workspace, source, hasKey) => {
    if (source === undefined)
      return element(
        'p',
        {},
        `${workspace.title} has no source yet. `,
        element('a', { href: `/${workspace.name}/catalog-sources` }, 'Add a source'),
      )
    const setUp = element('a', { href: `/${source.name}#setup` }, 'Set up')
    return hasKey
      ? element('p', {}, 'Your address and the newest write key of this source are filled in. ', setUp)
      : element('p', {}, 'This source has no write key. Create one under ', setUp, '.')
  }

  /** @param {Hit} hit @param {number} at */
  const hitRow = ({ title, heading, passage }, at) =>
    element(
      'li',
      { role: 'option', id: `hit-${at}`, 'aria-selected': 'false' },
      element('span', {}, heading === '' ? title : `${title} › ${heading}`),
      element(
        'span',
        { class: 'passage' },
        ...passage.map(({ text, match }) => (match ? element('mark', {}, text) : text)),
      ),
    )

  /** The list of search results below the input, with one selected. @param {HTMLInputElement} input */
  const createHitList = (input) => {
    const list = element('ul', { class: 'hits', id: 'hits', role: 'listbox', 'aria-label': 'Results' })
    list.hidden = true
    /** @type {Hit[]} */
    let hits = []
    let chosen = -1
    /** @param {boolean} shown */
    const open = (shown) => {
      list.hidden = !shown
      input.setAttribute('aria-expanded', String(shown))
    }
    /** @param {number} at */
    const choose = (at) => {
      chosen = at
      for (const [index, row] of [...list.children].entries()) row.setAttribute('aria-selected', String(index === at))
      const row = list.children[at]
      if (row === undefined) input.removeAttribute('aria-activedescendant')
      else {
        input.setAttribute('aria-activedescendant', row.id)
        row.scrollIntoView({ block: 'nearest' })
      }
    }
    const close = () => {
      open(false)
      choose(-1)
    }
    const go = (at = chosen) => {
      const hit = hits[at]
      if (hit === undefined) return
      close()
      location.assign(hit.path)
    }
    list.addEventListener('pointerdown', (event) => event.preventDefault())
    list.addEventListener('click', (event) => {
      const { target } = event
      if (target instanceof Element) go([...list.children].findIndex((row) => row.contains(target)))
    })
    return {
      list,
      close,
      go: () => go(),
      isOpen: () => !list.hidden,
      /** @param {number} by */
      move: (by) => hits.length > 0 && choose((chosen + by + hits.length) % hits.length),
      /** @param {Hit[]} found */
      show(found) {
        hits = found
        const none = { class: 'none', role: 'option', 'aria-disabled': 'true' }
        const rows = hits.length > 0 ? hits.map(hitRow) : [element('li', none, 'No results. Try fewer or other words.')]
        list.replaceChildren(...rows)
        open(true)
        choose(hits.length > 0 ? 0 : -1)
      },
    }
  }

  /** @param {HTMLInputElement} input */
  const wireSearch = (input) => {
    const results = createHitList(input)
    input.form?.append(results.list)
    const combobox = {
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-controls': 'hits',
      'aria-autocomplete': 'list',
    }
    for (const [name, value] of Object.entries(combobox)) input.setAttribute(name, value)
    /** @type {AbortController | undefined} */
    let asking
    const ask = async () => {
      asking?.abort()
      const words = input.value.trim()
      if (words === '') return results.close()
      asking = new AbortController()
      try {
        const query = new URLSearchParams({ q: words })
        const response = await fetch(`/docs/search.json?${query}`, { signal: asking.signal })
        const found = (await response.json()).results
        if (document.activeElement === input) results.show(found)
      } catch {
        // The request was aborted by the next letter, or the server is down. Enter still opens the page of results.
      }
    }
    input.addEventListener('input', () => void ask())
    input.addEventListener('focus', () => void (input.value.trim() === '' || ask()))
    input.addEventListener('blur', results.close)
    input.addEventListener('keydown', (event) => {
      if (!results.isOpen()) return
      if (event.key === 'Escape') results.close()
      else if (event.key === 'ArrowDown') results.move(1)
      else if (event.key === 'ArrowUp') results.move(-1)
      else if (event.key === 'Enter' && input.hasAttribute('aria-activedescendant')) results.go()
      else return
      event.preventDefault()
    })
    addEventListener('keydown', (event) => {
      const typing = event.target instanceof HTMLElement && event.target.matches('input, select, textarea')
      const command = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)
      if (!command && (event.key !== '/' || typing)) return
      event.preventDefault()
      input.focus()
      input.select()
    })
  }

  /** Marks the current heading in the list of headings. */
  const followHeadings = () => {
    const links = new Map(
      [...document.querySelectorAll('.toc a')].map((link) => [
        decodeURIComponent(link.getAttribute('href') ?? '').slice(1),
        link,
      ]),
    )
    const headings = [...document.querySelectorAll('main :is(h2, h3)[id]')]
    if (links.size === 0) return
    const mark = () => {
      const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0]
      for (const [id, link] of links) {
        if (id === read?.id) link.setAttribute('aria-current', 'true')
        else link.removeAttribute('aria-current')
      }
    }
    const watch = new IntersectionObserver(mark, { rootMargin: '-110px 0px 0px 0px', threshold: [0, 1] })
    for (const heading of headings) watch.observe(heading)
  }

  document.addEventListener('DOMContentLoaded', () => {
    fill('origin', location.origin)
    fill('host', location.host)
    fill('insecure', String(location.protocol === 'http:'))
    wireCopying()
    followHeadings()
    const bar = document.getElementById('fill')
    if (bar !== null) showKeys(bar)
    const input = document.getElementById('search')
    if (input instanceof HTMLInputElement) wireSearch(input)
    document.querySelector('#contents [aria-current]')?.scrollIntoView({ block: 'nearest' })
  })
})()
