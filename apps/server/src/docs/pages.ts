import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as yieldToTheEventLoop } from 'node:timers/promises'
import type { ListedDestination, ListedSource } from '@tributary/connector-kit'
import { apiCalls } from './api-page.ts'
import { type ConnectorPage, destinationPage, sourcePage } from './connector-pages.ts'
import { type FillName, type Rendered, renderMarkdown } from './markdown.ts'

/** A rendered page of the documentation. */
export type DocsPage = Rendered & {
  /** The path, such as `/docs/collection`. */
  path: string
  group: GroupTitle
  /** A one-line description, for the lists of pages. */
  about: string
  /** For a connector's page: the URL of its logo, and its section in the list. */
  icon?: string
  kind?: string
  /** `catalogSources/{slug}`: the app of sources whose keys can be used in the page's code. */
  app?: string
}

type Unrendered = Omit<DocsPage, keyof Rendered> & { text: string }

export type GroupTitle = 'Get started' | 'Guides' | 'Sources' | 'Destinations' | 'Reference' | 'Operate'

/** The manually written pages: files of the folder `docs`, in the order of the lists. */
const guides = {
  'getting-started': ['Get started', 'Deliver your first event in five steps.'],
  concepts: ['Get started', 'The parts of Tributary and what they are called.'],
  events: ['Guides', 'Live events, the explorer, and what each status of an event means.'],
  schemas: ['Guides', 'What a source expects, violations, and how to block events that do not conform.'],
  mappings: ['Guides', 'Which events a destination receives, and what each one contains.'],
  profiles: ['Guides', 'What is known of each user, identifiers, traits, merges, and splits.'],
  privacy: ['Guides', 'Deleting and suppressing users, and what is kept.'],
  audiences: ['Guides', 'Sets of profiles by their events and traits.'],
  syncs: ['Guides', 'Rows of your databases, brought to destinations.'],
  signals: ['Guides', 'Conversions made of events, matched with clicks, and sent to ad platforms once.'],
  conversions: ['Guides', 'Conversions for ad platforms, without duplicates and with consent.'],
  tag: ['Guides', 'Signal sources, the tag for websites, its consent, and its cookies.'],
  deliveries: ['Guides', 'Failures, retries, dead letters, and replays.'],
  members: ['Guides', 'Organizations, roles, and invitations.'],
  sources: ['Sources', 'Where events come from: SDKs, HTTP, and webhooks from other services.'],
  destinations: [
    'Destinations',
    'Where events go: warehouses, cloud storage, other platforms, and your own endpoints.',
  ],
  warehouses: ['Destinations', 'Loads, tables, columns and their types, and how complete the tables are.'],
  'own-destinations': [
    'Destinations',
    'A destination of your own by a description: build, try, publish, and share it.',
  ],
  collection: ['Reference', 'Where to send events, what they can contain, and why requests are refused.'],
  api: ['Reference', 'How to call the API, and every call.'],
  webhook: ['Reference', 'What a webhook receives, how requests are signed, and what each response means.'],
  configuration: ['Operate', 'Every setting of a Tributary installation.'],
  operations: ['Operate', 'Health, metrics, backups, retention, and what to do when something fails.'],
  scaling: ['Operate', 'Several processes that collect, and what happens while a part is away.'],
} as const satisfies Record<string, readonly [group: GroupTitle, about: string]>

/** Group titles in the order of the side list. */
export const groupTitles: readonly GroupTitle[] = [
  'Get started',
  'Guides',
  'Sources',
  'Destinations',
  'Reference',
  'Operate',
]

const isGuide = (name: string): name is keyof typeof guides => Object.hasOwn(guides, name)

/** Returns the served URL of a page's link: another page or a part of it, an external URL, or none. */
const addressOf = (href: string): string | undefined => {
  if (/^(https?:\/\/|#|\/api\/|\/docs\/)/.test(href)) return href
  const [file = '', part] = href.split('#')
  const name = /^(?:\.\/)?([a-z-]+)\.md$/.exec(file)?.[1] ?? ''
  return isGuide(name) ? `/docs/${name}${part === undefined ? '' : `#${part}`}` : undefined
}

/**
 * Loads every page of the documentation: the guides of `folder`, the methods of the API, and a page from the definition
 * of each source and destination. Code contains `values` until the reader's own are filled in. Yields to the event loop
 * between two pages. Throws if a guide is missing.
 */
export const loadPages = async (
  folder: string,
  connectors: { sources: readonly ListedSource[]; destinations: readonly ListedDestination[] },
  values: Readonly<Record<FillName, string>>,
): Promise<DocsPage[]> => {
  const guide = (name: keyof typeof guides): Unrendered => {
    const [group, about] = guides[name]
    const text = readFileSync(join(folder, `${name}.md`), 'utf8')
    return { text: name === 'api' ? `${text}\n${apiCalls()}` : text, path: `/docs/${name}`, group, about }
  }
  const connector =
    (group: 'Sources' | 'Destinations') =>
    ({ slug, about, icon, kind, text }: ConnectorPage): Unrendered => ({
      text,
      path: `/docs/${group.toLowerCase()}/${slug}`,
      group,
      about,
      icon,
      kind,
      ...(group === 'Sources' ? { app: `catalogSources/${slug}` } : {}),
    })
  const sources = await Promise.all(connectors.sources.map(async (entry) => sourcePage(entry, await entry.load())))
  const destinations = await Promise.all(
    connectors.destinations.map(async (entry) => destinationPage(entry, await entry.load())),
  )
  const all = [
    ...Object.keys(guides).filter(isGuide).map(guide),
    ...sources.map(connector('Sources')),
    ...destinations.map(connector('Destinations')),
  ]
  const pages: DocsPage[] = []
  for (const { text, ...page } of all) {
    pages.push({ ...renderMarkdown(text, addressOf, values), ...page })
    await yieldToTheEventLoop()
  }
  return pages
}
