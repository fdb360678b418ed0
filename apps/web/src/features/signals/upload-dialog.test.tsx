// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { aSignal } from '../../testing/signals.ts'
import { UploadDialog } from './upload-dialog.tsx'

const report = {
  row_count: 3,
  accepted_count: 1,
  repeated_count: 1,
  refused_count: 1,
  refused: [{ line: 4, column: 'currency', reason: 'Write a code such as USD' }],
}

test('a file of offline conversions is checked first, and uploaded only after a confirmation', async () => {
  const sent: { validate_only: boolean; content: string }[] = []
  openInWorkspace(<UploadDialog signal={aSignal} onClosed={() => undefined} />, {
    answers: (path, init) => {
      if (!path.endsWith(':uploadConversions')) return undefined
      sent.push(JSON.parse(init?.body as string))
      return Response.json(report)
    },
  })
  const input = await screen.findByLabelText('CSV file')
  const file = new File(['event_id,event_time\no1,2026-03-04\n'], 'shop.csv', { type: 'text/csv' })
  fireEvent.change(input, { target: { files: [file] } })
  expect((await screen.findByRole('list', { name: 'Refused rows' })).textContent).toContain(
    'Line 4currency Write a code such as USD.',
  )
  expect(sent.map(({ validate_only }) => validate_only)).toEqual([true])
  await userEvent.click(screen.getByRole('button', { name: 'Send 1 conversion' }))
  await waitFor(() => expect(sent.map(({ validate_only }) => validate_only)).toEqual([true, false]))
  expect((await screen.findByRole('region', { name: 'Report' })).textContent).toContain('1 sent')
})

test('an invalid file shows the reason and cannot be sent', async () => {
  openInWorkspace(<UploadDialog signal={aSignal} onClosed={() => undefined} />, {
    answers: (path) =>
      path.endsWith(':uploadConversions')
        ? Response.json(
            {
              code: 400,
              reason: 'FILE_REFUSED',
              message: 'The file has no rows',
              metadata: { file: 'The file has no rows' },
            },
            { status: 400 },
          )
        : undefined,
  })
  const file = new File(['x'], 'x.csv', { type: 'text/csv' })
  fireEvent.change(await screen.findByLabelText('CSV file'), { target: { files: [file] } })
  expect((await screen.findByRole('alert')).textContent).toBe('The file has no rows.')
  expect(screen.getByRole('button', { name: 'Send conversions' })).toHaveProperty('disabled', true)
})
