// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { ownConnectorLimits } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { NewOwnConnectorPage } from './new-own-connector-page.tsx'

test('a dropped file that is too large, no text, or refused shows why, and a later one is used', async () => {
  const sent: unknown[] = []
  const refused = {
    code: 400,
    reason: 'VALIDATION',
    message: 'The file is no JSON',
    metadata: { file: 'The file is no JSON' },
  }
  openInWorkspace(<NewOwnConnectorPage />, {
    role: 'ORG_ADMIN',
    answers: (path, init) => {
      if (path.endsWith('/catalogDestinations')) return Response.json({ catalog_destinations: [], next_page_token: '' })
      if (!path.endsWith('/ownConnectors') || init?.method !== 'POST') return undefined
      sent.push((JSON.parse(init.body as string) as { file: string }).file)
      return Response.json(refused, { status: 400 })
    },
  })
  const place = await screen.findByText('Drop a file here, or choose one.')
  const drop = (...parts: BlobPart[]): void =>
    void fireEvent.drop(place, { dataTransfer: { files: [new File(parts, 'own.json')] } })
  const alerts = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
  drop('x'.repeat(2 * ownConnectorLimits.descriptionBytes + 1))
  await waitFor(() => expect(alerts()).toEqual(['The file is too large']))
  drop(new Uint8Array([0x80, 0x81]))
  await waitFor(() => expect(alerts()).toEqual(['The file is not UTF-8. Save it as UTF-8']))
  expect(sent).toEqual([])
  drop('{')
  await waitFor(() => expect(alerts()).toEqual(['The file is no JSON']))
  expect(sent).toEqual(['{'])
})
