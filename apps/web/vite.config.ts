import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { pages } from './src/lib/paths.ts'

const server = process.env.TRIBUTARY_DEV_SERVER ?? 'http://127.0.0.1:3000'

// `light-dark()` has both themes of every color token, so the style target must support it.
const cssTarget = ['chrome123', 'firefox120', 'safari17.5']

const libraries = /[\\/]node_modules[\\/]/

/** Returns a pattern of paths that matches the separators of every operating system. */
const at = (...paths: string[]): RegExp => new RegExp(`[\\\\/](${paths.join('|').replaceAll('/', '[\\\\/]')})`)

/** The modules that only some pages need, with the components that import them. None of them is shared by all pages. */
const parts = {
  markup: at('node_modules/marked/', 'src/lib/format/markup', 'src/ui/code/markup'),
  forms: at(
    '@leeoniya/ufuzzy/',
    'src/components/(catalog-grid|search-cards|create-flow|docs-panel|settings/(setting-hint|settings-card))',
  ),
  suggestions: at(
    '@base-ui/react/(autocomplete|combobox)/',
    'src/ui/(forms/(suggest-input|search-select|picker)|lists/command-list)',
    'src/components/(condition-builder|connection-list|people-lists/)',
  ),
  rows: at('@tanstack/(react-virtual|virtual-core)/'),
  table: at('@tanstack/(react-table|table-core|react-store|store)/', 'src/ui/lists/data-table'),
  list: at('src/ui/lists/(list-view|bulk-bar)'),
}
/** The modules of the contract that only some pages need. No other module of the contract imports them. */
const someContract = at(
  'packages/contract/src/(rules/(curl/|contacts|placeholders)|sources/source-schema-edits|audiences/sentence)',
)
const some = new RegExp(
  Object.values(parts)
    .map(({ source }) => source)
    .join('|'),
)

/**
 * The modules that are bundled together. The first load is the code of the sign-in page: the libraries, which change
 * seldom, and the rest of it. The first use of a form adds the contract with its schemas and the cache of queries. The
 * frames of signed-in pages are one file with the table of these pages, so that a page can always show a fault of the
 * next one inside its frame. Then come the modules that pages share, and those of some pages. A group includes the
 * imports of its modules, so that none of them imports a group below it: files that import each other would run in the
 * wrong order.
 */
const groups = [
  { name: 'libraries', tags: ['$initial' as const], test: libraries },
  { name: 'main', tags: ['$initial' as const] },
  {
    name: 'contract',
    test: (id: string) =>
      at('node_modules/zod/', 'packages/contract/src/', 'src/components/api-form').test(id) && !someContract.test(id),
  },
  { name: 'queries', test: at('@tanstack/(react-query|query-core)/', 'src/app/query-client') },
  {
    name: 'frame',
    test: at(
      'src/app/(routes/product-routes|signed-in|frame/(workspace-shell|workspace-frame|settings-shell|page-frame))',
      'src/features/auth/logout-page',
    ),
  },
  {
    name: 'editor',
    test: at(
      'src/ui/code/code-mirror',
      '@codemirror/(view|state|language|commands|autocomplete)/',
      '@lezer/(common|highlight|lr)/',
    ),
  },
  {
    name: 'shared',
    test: (id: string) => at('src/(ui|components|lib)/', 'node_modules/', 'contract/src/').test(id) && !some.test(id),
    minShareCount: 4,
  },
  { name: 'markup', test: parts.markup },
  { name: 'suggestions', test: parts.suggestions },
  { name: 'rows', test: parts.rows },
  { name: 'table', test: parts.table },
  { name: 'list', test: parts.list },
].map((group, index, all) => ({ ...group, priority: all.length - index }))

/**
 * The build output: the application, or in the mode `kit` the page that shows every component, which is never shipped.
 */
const output = (mode: string) =>
  mode === 'kit'
    ? { outDir: '../../.cache/kit', rolldownOptions: { input: 'kit.html' }, chunkSizeWarningLimit: 1500 }
    : { outDir: 'dist', rolldownOptions: { output: { codeSplitting: { groups } } } }

/** Writes a list of all pages to a file for the server. */
const pageList: Plugin = {
  name: 'page-list',
  apply: 'build',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: '.pages.json', source: JSON.stringify(pages) })
  },
}

/**
 * Writes a list of the files that the frame of workspace pages needs. A page does not name them before its script has
 * run.
 */
const preloadList: Plugin = {
  name: 'preload-list',
  apply: 'build',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
    const frame = chunks.find(({ name }) => name === 'frame')
    const entry = chunks.find(({ isEntry }) => isEntry)
    const files = frame === undefined ? [] : [frame.fileName, ...frame.imports]
    const named = new Set([entry?.fileName, ...(entry?.imports ?? [])])
    const source = JSON.stringify(files.filter((file) => !named.has(file)).map((file) => `/${file}`))
    this.emitFile({ type: 'asset', fileName: '.preload.json', source })
  },
}

/** The names of texts in the contract that only readers of the API description need: the pages have their own texts. */
const documentation = new Set(['summary', 'when'])

/** A node of a syntax tree, with the fields that are used here. */
type Node = { type: string; start: number; end: number; key?: { name?: string }; value?: Node } & Record<
  string,
  unknown
>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/**
 * Returns the positions of documentation texts in a file of the contract: literals that are the values of such names.
 */
const documentationIn = (node: Node): Node[] => {
  const { type, key, value } = node
  if (
    type === 'Property' &&
    documentation.has(key?.name ?? '') &&
    /^(Literal|TemplateLiteral)$/.test(value?.type ?? '')
  )
    return value === undefined ? [] : [value]
  return Object.values(node).flatMap((child) =>
    (Array.isArray(child) ? child : [child]).filter(isNode).flatMap(documentationIn),
  )
}

/**
 * Removes the texts of the API description from the files that browsers load. All positions in a file stay the same.
 */
const withoutDocumentation: Plugin = {
  name: 'without-documentation',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: at('packages/contract/src/') },
    handler(code) {
      let left = code
      for (const { start, end } of documentationIn(this.parse(code) as unknown as Node))
        left = `${left.slice(0, start)}''${' '.repeat(end - start - 2)}${left.slice(end)}`
      return { code: left, map: null }
    },
  },
}

/** Exports of these modules that validation uses. */
const usedExports = new Set(['aggregateChecks'])

/** Returns the body of the innermost function that a node is, such as that of `(a) => (b) => { … }`. */
const bodyOf = (node: unknown): Node | undefined => {
  if (!isNode(node) || !/^(FunctionDeclaration|ArrowFunctionExpression)$/.test(node.type)) return undefined
  return isNode(node.body) && node.body.type === 'BlockStatement' ? node.body : bodyOf(node.body)
}

/** Returns the bodies of the functions that a module exports, by their names. */
const exportedBodies = ({ body }: Node): Node[] =>
  (Array.isArray(body) ? body.filter(isNode) : []).flatMap(({ declaration }) => {
    if (!isNode(declaration)) return []
    const declared = Array.isArray(declaration.declarations)
      ? declaration.declarations.filter(isNode).map(({ id, init }) => ({ id, made: init }))
      : [{ id: declaration.id, made: declaration }]
    return declared.flatMap(({ id, made }) => {
      const name = isNode(id) ? String(id.name) : ''
      const found = usedExports.has(name) ? undefined : bodyOf(made)
      return found === undefined ? [] : [found]
    })
  })

/**
 * Empties the functions with which schemas become JSON Schema. Only the server writes it. All positions in a file stay
 * the same.
 */
const withoutJsonSchema: Plugin = {
  name: 'without-json-schema',
  apply: 'build',
  transform: {
    filter: { id: at('zod/v4/core/(json-schema-processors|to-json-schema)') },
    handler(code) {
      let left = code
      for (const { start, end } of exportedBodies(this.parse(code) as unknown as Node))
        left = `${left.slice(0, start)}{}${' '.repeat(end - start - 2)}${left.slice(end)}`
      return { code: left, map: null }
    },
  },
}

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), withoutDocumentation, withoutJsonSchema, pageList, preloadList],
  build: { emptyOutDir: true, cssTarget, assetsInlineLimit: 0, chunkSizeWarningLimit: 900, ...output(mode) },
  server: {
    proxy: {
      // At sign-in, the server compares the return URL with the host that the browser has called, so the host stays
      // unchanged.
      '/api': { target: server, changeOrigin: false },
      '/dev': server,
      '/pusher': server,
      '/v1': server,
      '/health': server,
      '/media': server,
      '/ofrep': server,
      '/docs': server,
      '/app/': { target: server, ws: true },
    },
  },
}))
