// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../lib/api/errors.ts'
import { renderUi } from '../testing/render.tsx'
import { ImageInput } from './image-input.tsx'

const picture = new File(['abc'], 'logo.png', { type: 'image/png' })

test.each([
  [new Error('The disk is full.'), 'The disk is full.'],
  [
    new ApiError(400, { code: 400, message: 'content: too many pixels', metadata: { content: 'too many pixels' } }, ''),
    'Too many pixels',
  ],
])('a chosen image is passed on, and the reason for a rejection is shown below (case %#)', async (refusal, message) => {
  const onPick = vi.fn(() => Promise.reject(refusal))
  renderUi(<ImageInput label="Logo" image="" title="Acme" onPick={onPick} />)
  await userEvent.upload(screen.getByLabelText('Logo', { selector: 'input' }), picture)
  expect(onPick).toHaveBeenCalledExactlyOnceWith(picture)
  expect(await screen.findByRole('alert')).toHaveProperty('textContent', message)
})

test('a dropped image is passed on', () => {
  const onPick = vi.fn(() => new Promise(() => undefined))
  renderUi(<ImageInput label="Logo" image="" title="Acme" onPick={onPick} />)
  fireEvent.drop(screen.getByText(/Drop an image here/), { dataTransfer: { files: [picture] } })
  expect(onPick).toHaveBeenCalledExactlyOnceWith(picture)
  expect(screen.getByRole('status').textContent).toBe('Saving the image')
})

test('ORG-08, ORG-10: dropped files that break a rule are reported and not passed on', () => {
  const onPick = vi.fn(() => Promise.resolve())
  renderUi(<ImageInput label="Logo" image="" title="Acme" onPick={onPick} />)
  const place = screen.getByText(/Drop an image here/)
  fireEvent.drop(place, { dataTransfer: { files: [picture, picture] } })
  expect(screen.getByRole('alert').textContent).toBe('Image is required.')
  fireEvent.drop(place, { dataTransfer: { files: [new File(['a'], 'a.gif', { type: 'image/gif' })] } })
  expect(screen.getByRole('alert').textContent).toBe('jpeg, jpg, png, webp files are accepted.')
  expect(onPick).not.toHaveBeenCalled()
})

test('a current image can be removed', async () => {
  const onRemove = vi.fn(() => Promise.resolve())
  renderUi(
    <ImageInput label="Logo" image="media/a.webp" title="Acme" onPick={() => Promise.resolve()} onRemove={onRemove} />,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }))
  expect(onRemove).toHaveBeenCalledOnce()
})
