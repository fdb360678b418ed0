// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { methods, type Source } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { aPreview, aSignal, metaOption } from '../../../testing/signals.ts'
import { NewSignalPage } from './new-signal-page.tsx'

const time = '2026-01-01T00:00:00Z'
const name = 'workspaces/w1/sources/shop'
const source: Source = {
  name,
  title: 'Shop',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogSources/tag',
    display_name: 'Website tag',
    docs_url: '',
    type: 1,
    extra: { app_icon: '' },
    settings: [],
  },
  target_product: 'SIGNALS',
  enabled: true,
  enforcement: 'allow',
  schema_version: 1,
  create_time: time,
  update_time: time,
  has_received: false,
  last_event_time: null,
}

const open = (role = 'ORG_ADMIN') => {
  const sent: Record<string, unknown> = {}
  const kept: object[] = []
  const page = openInWorkspace(<NewSignalPage />, {
    role,
    answers: (path, init) => {
      if (path === '/workspaces/w1/sources') return Response.json({ sources: [source], next_page_token: '' })
      if (path.endsWith('/signalDraft')) {
        if (init?.method === 'DELETE') kept.splice(0)
        if (init?.method === 'PATCH') kept.push(JSON.parse(init.body as string).entered)
        return Response.json({ name: 'workspaces/w1/signalDraft', entered: kept.at(-1) ?? {}, update_time: null })
      }
      if (path.endsWith('signals:listPlatforms')) return Response.json({ platforms: [metaOption], next_page_token: '' })
      if (path.endsWith('audiences:suggest')) return Response.json({ suggestions: [] })
      if (path.endsWith('/catalogDestinations')) return Response.json({ catalog_destinations: [], next_page_token: '' })
      if (path.endsWith('signals:preview') || (path.endsWith('/signals') && init?.method === 'POST')) {
        sent[path] = JSON.parse(init?.body as string)
        return Response.json(path.endsWith(':preview') ? aPreview : aSignal)
      }
      return undefined
    },
  })
  return { ...page, sent, kept }
}

const goOn = () => userEvent.click(screen.getByRole('button', { name: 'Continue' }))

test('OPEN-31, SIG-03: a signal is created in steps, and a preview shows what would not be sent', async () => {
  const { sent, kept } = open()
  await screen.findByRole('heading', { name: 'What makes a conversion?' })
  await goOn()
  expect(await screen.findByText('Choose at least one source')).toBeDefined()
  await userEvent.click(await screen.findByRole('button', { name: 'Add source' }))
  await userEvent.click(await screen.findByRole('option', { name: /Shop/ }))
  expect(screen.queryByText('Choose at least one source')).toBeNull()
  await goOn()
  await goOn()
  await goOn()
  expect(await screen.findByText(/eventID: order_id/)).toBeDefined()
  await goOn()
  await goOn()
  expect(await screen.findByText('Choose at least one platform')).toBeDefined()
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Meta EU' }))
  await userEvent.type(screen.getByRole('textbox', { name: 'Test code' }), 'TEST1')
  await goOn()
  const preview = await screen.findByRole('listitem', { name: 'Meta EU' })
  expect(preview.textContent).toContain('1 conversion would be sent')
  expect(preview.textContent).toContain('Older than the platform accepts.1 not sent')
  expect(preview.textContent).toContain('Add phone: +18% of conversions')
  await waitFor(() => expect(kept.at(-1)).toMatchObject({ step: 'review', draft: { sources: [source.name] } }))
  expect(screen.getByText('Draft saved')).toBeDefined()
  await userEvent.click(screen.getByRole('switch', { name: 'Enable the signal' }))
  await userEvent.click(screen.getByRole('button', { name: 'Create signal' }))
  await waitFor(() => expect(sent['/workspaces/w1/signals']).toBeDefined())
  const body = methods.signals.create.request.parse(sent['/workspaces/w1/signals'])
  expect(body).toMatchObject({
    title: 'Purchase',
    enabled: false,
    trigger: {
      type: 'events',
      sources: [source.name],
      events: [{ event_type: 'track', event_name: 'Order Completed' }],
    },
    event_id: { type: 'path', path: 'properties.order_id' },
    platforms: [{ destination: metaOption.destination, test_event_code: 'TEST1', field_mappings: null }],
  })
  // When the signal exists, its draft is removed.
  await waitFor(() => expect(kept).toEqual([]))
})

test('a user who cannot create a signal sees the no-access message', async () => {
  open('ORG_GUEST')
  expect(await screen.findByText("You don't have access to this resource.")).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
})
