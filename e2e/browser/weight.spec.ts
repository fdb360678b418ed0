import { createDestination, createSource, createWebhook, createWorkspace } from '@tributary/test-kit'
import { maxShift, readShift } from './layout-shift.ts'
import { weighPage } from './page-weight.ts'
import { expect, test } from './product-fixture.ts'

// React and the router alone are 84 KB.
const signInBudget = { kilobytes: 122, files: 8 }
const anyPage = { kilobytes: 354, files: 25 }
// The code editor alone is 102 KB.
const editorPage = { kilobytes: 456, files: 25 }

test('no page exceeds its weight budget with an empty cache, or shifts while it loads', async ({
  signedIn,
  chromium,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Weighed')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: 'http://127.0.0.1:9' }, 'Archive')
  const warehouse = await createDestination(product.api, workspace, source, {
    app: 'clickhouse',
    title: 'Analysts',
    settings: { host: '127.0.0.1', port: 9, database: 'company', user: 'reader', tls: 'off' },
  })
  const own = await product.api.ok('POST', `/${workspace}/ownConnectors`, { title: 'CRM' })
  const session = await signedIn.context().storageState()
  const pages = [
    { name: 'sign-in', path: '/auth/login', budget: signInBudget },
    { name: 'workspaces', path: '/', budget: anyPage },
    { name: 'home', path: `/${workspace}`, budget: anyPage },
    { name: 'sources', path: `/${workspace}/sources`, budget: anyPage },
    { name: 'source, live events', path: `/${source}`, budget: anyPage },
    { name: 'source, set up', path: `/${source}#setup`, budget: anyPage },
    { name: 'source, schema', path: `/${source}#schema`, budget: anyPage },
    { name: 'destination, mappings', path: `/${destination}#mappings`, budget: anyPage },
    { name: 'destination, loads', path: `/${warehouse}#loads`, budget: anyPage },
    { name: 'explorer', path: `/${workspace}/events`, budget: anyPage },
    { name: 'profiles', path: `/${workspace}/profiles`, budget: anyPage },
    { name: 'connections', path: `/${workspace}/connections`, budget: anyPage },
    { name: 'syncs', path: `/${workspace}/syncs`, budget: anyPage },
    { name: 'signals', path: `/${workspace}/signals`, budget: anyPage },
    { name: 'new signal', path: `/${workspace}/signals/new`, budget: anyPage },
    { name: 'attribution', path: `/${workspace}/signals/attribution`, budget: anyPage },
    { name: 'catalog', path: `/${workspace}/catalog-destinations`, budget: anyPage },
    { name: 'new own destination', path: `/${workspace}/ownConnectors/new`, budget: anyPage },
    { name: 'own destination', path: `/${String(own.name)}`, budget: editorPage },
    { name: 'settings', path: `/${workspace}/settings/organization/members`, budget: anyPage },
  ]
  const lines: string[] = []
  const over: string[] = []
  for (const { name, path, budget } of pages) {
    await using context = await chromium.newContext({
      baseURL: product.url,
      ...(name === 'sign-in' ? {} : { storageState: session }),
    })
    const page = await context.newPage()
    const weigh = await weighPage(page)
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await page.waitForLoadState('networkidle')
    const { bytes, files } = weigh()
    const { score, moved } = await readShift(page)
    if (score > maxShift) over.push(`${name} moves by ${score.toFixed(2)} while it loads: ${moved.join(', ')}`)
    const line = `${name}: ${(bytes / 1024).toFixed(0)} KB in ${files} files`
    lines.push(line)
    if (bytes > budget.kilobytes * 1024 || files > budget.files)
      over.push(`${line}, of ${budget.kilobytes} KB in ${budget.files}`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  expect(over).toEqual([])
})
