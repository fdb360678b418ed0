import { escapeHtml } from '@tributary/api-kit'
import { type DocsPage, groupTitles } from './pages.ts'
import type { Found } from './search.ts'

/** URLs of the assets that each page loads. */
export type Assets = { style: string; script: string }

const mark =
  '<svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true"><rect width="32" height="32" rx="8" fill="var(--accent)"/><path d="M8 7c0 8 8 6 8 14v4M24 7c0 8-8 6-8 14M16 7v9" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>'

const searchForm = (query: string): string =>
  `<form class="search" role="search" action="/docs/search"><input id="search" type="search" name="q" value="${escapeHtml(query)}" maxlength="100" autocomplete="off" spellcheck="false" aria-label="Search the documentation" placeholder="Search"><kbd aria-hidden="true">/</kbd></form>`

/** Titles of the lists of connectors. */
const listNames: Readonly<Record<string, string>> = {
  '/docs/sources': 'All sources',
  '/docs/destinations': 'All destinations',
}

const link = (page: DocsPage, current: string): string =>
  `<li><a href="${page.path}"${page.path === current ? ' aria-current="page"' : ''}>${escapeHtml(listNames[page.path] ?? page.title)}</a></li>`

/**
 * Renders the side list with all pages by group. Sources and destinations are listed only if the current page is one.
 */
const contents = (pages: readonly DocsPage[], current: string): string =>
  groupTitles
    .map((group) => {
      const all = pages.filter((page) => page.group === group)
      const open = all.some(({ path }) => path === current)
      const listed = open ? all : all.filter(({ icon }) => icon === undefined)
      const api =
        group === 'Reference'
          ? '<li><a href="/api/docs">API explorer</a></li><li><a href="/api/openapi.json">OpenAPI description</a></li>'
          : ''
      return `<h2>${group}</h2><ul>${listed.map((page) => link(page, current)).join('')}${api}</ul>`
    })
    .join('')

const onThisPage = ({ headings }: Pick<DocsPage, 'headings'>): string =>
  headings.length < 2
    ? ''
    : `<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>${headings
        .filter(({ depth }) => depth <= 3)
        .map(({ depth, id, text }) => `<li class="d${depth}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`)
        .join('')}</ul></nav>`

/** Renders an HTML page: head, search, side list, and `main` next to the headings of the page. */
const frame = (parts: {
  pages: readonly DocsPage[]
  assets: Assets
  title: string
  current: string
  main: string
  toc?: string
  query?: string
  app?: string
}): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(parts.title)} | Tributary</title><link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${parts.assets.style}"><script src="${parts.assets.script}"></script></head>
<body${parts.app === undefined ? '' : ` data-app="${parts.app}"`}><a class="skip" href="#main">Skip to content</a>
<header><button type="button" class="menu" popovertarget="contents">Menu</button>
<a class="brand" href="/docs" aria-label="Tributary Docs">${mark}<span>Tributary <span class="quiet">Docs</span></span></a>
${searchForm(parts.query ?? '')}<a class="home" href="/">Open Tributary</a></header>
<div class="frame"><nav id="contents" popover aria-label="Documentation">${contents(parts.pages, parts.current)}</nav>
<main id="main" tabindex="-1">${parts.main}</main>${parts.toc ?? ''}</div></body></html>`

const logoOf = ({ icon }: DocsPage): string =>
  icon === undefined ? '' : `<img src="${escapeHtml(icon)}" alt="" width="28" height="28">`

const cards = (pages: readonly DocsPage[]): string =>
  `<ul class="cards">${pages
    .map(
      (page) =>
        `<li>${logoOf(page)}<div><a href="${page.path}">${escapeHtml(page.title)}</a><p>${escapeHtml(page.about)}</p></div></li>`,
    )
    .join('')}</ul>`

/** The connectors of a list by their kind, such as the sources for web, mobile and server. */
const connectorCards = (pages: readonly DocsPage[]): string => {
  const kinds = Map.groupBy(pages, ({ kind }) => kind ?? '')
  return [...kinds].map(([kind, some]) => `${kind === '' ? '' : `<h2>${escapeHtml(kind)}</h2>`}${cards(some)}`).join('')
}

/** The bar that shows whose address and key are in the code; hidden without the page's script. */
const fillBar = '<div id="fill" class="fill" hidden></div>'

/** Renders a page of the documentation. A list of connectors contains their cards. */
export const pageHtml = (page: DocsPage, pages: readonly DocsPage[], assets: Assets): string => {
  const cardsOf =
    page.path === '/docs/sources' || page.path === '/docs/destinations'
      ? connectorCards(pages.filter(({ group, icon }) => group === page.group && icon !== undefined))
      : ''
  const body = page.html.includes('data-fill="writeKey"') ? page.html.replace('</h1>', `</h1>${fillBar}`) : page.html
  const connector = page.icon !== undefined
  const all = pages.filter(({ group, icon }) => (connector ? group === page.group : icon === undefined))
  const at = all.indexOf(page)
  const [before, after] = [all[at - 1], all[at + 1]]
  const turn = (to: DocsPage | undefined, word: string): string =>
    to === undefined
      ? ''
      : `<a class="${word.toLowerCase()}" href="${to.path}"><span>${word}</span>${escapeHtml(to.title)}</a>`
  const turns = `<nav class="turns" aria-label="Pages">${turn(before, 'Previous')}${turn(after, 'Next')}</nav>`
  return frame({
    pages,
    assets,
    title: page.title,
    current: page.path,
    main: `<article>${body}${cardsOf}</article>${turns}`,
    toc: onThisPage(page),
    ...(page.app === undefined ? {} : { app: page.app }),
  })
}

/** Renders the first page, with links to all others. */
export const homeHtml = (pages: readonly DocsPage[], assets: Assets): string => {
  const of = (group: string) => pages.filter((page) => page.group === group && page.icon === undefined)
  const main = `<article><h1>Documentation</h1><p>Collect customer events with the SDKs you already use, see them arrive live, check them against a schema, and deliver them.</p>${groupTitles
    .map((group) => {
      const connectors = pages.filter((page) => page.group === group && page.icon !== undefined)
      const names = `<p class="names">${connectors.map(({ path, title }) => `<a href="${path}">${escapeHtml(title)}</a>`).join('')}</p>`
      return `<h2>${group}</h2>${cards(of(group))}${connectors.length === 0 ? '' : names}`
    })
    .join('')}</article>`
  return frame({ pages, assets, title: 'Documentation', current: '/docs', main })
}

const passageHtml = ({ passage }: Found): string =>
  passage.map(({ text, match }) => (match ? `<mark>${escapeHtml(text)}</mark>` : escapeHtml(text))).join('')

/** Renders the results of a search. */
export const searchHtml = (
  query: string,
  found: readonly Found[],
  pages: readonly DocsPage[],
  assets: Assets,
): string => {
  const results = found
    .map(
      (one) =>
        `<li><a href="${escapeHtml(one.path)}">${escapeHtml(one.title)}${one.heading === '' ? '' : ` <span class="quiet">›</span> ${escapeHtml(one.heading)}`}</a><p>${passageHtml(one)}</p></li>`,
    )
    .join('')
  const said =
    query === ''
      ? '<p>Write what you look for above.</p>'
      : found.length === 0
        ? `<p role="status">No results for “${escapeHtml(query)}”. Try fewer or other words.</p>`
        : `<p role="status">${found.length} ${found.length === 1 ? 'result' : 'results'} for “${escapeHtml(query)}”</p><ol class="results">${results}</ol>`
  const main = `<article><h1>Search</h1>${said}</article>`
  return frame({ pages, assets, title: 'Search', current: '/docs/search', main, query })
}

/** Renders the page for unknown paths. */
export const missingHtml = (pages: readonly DocsPage[], assets: Assets): string =>
  frame({
    pages,
    assets,
    title: 'Page not found',
    current: '',
    main: '<article><h1>Page not found</h1><p>Search for what you need, or begin at the <a href="/docs">documentation</a>.</p></article>',
  })
