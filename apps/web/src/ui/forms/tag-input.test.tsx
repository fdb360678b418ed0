// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { Field } from './field.tsx'
import { afterKey, TagInput } from './tag-input.tsx'

const Tags = ({ onTags }: { onTags: (tags: readonly string[]) => void }) => {
  const [tags, setTags] = useState<readonly string[]>([])
  const change = (next: readonly string[]): void => {
    setTags(next)
    onTags(next)
  }
  return <Field label="Tags">{(control) => <TagInput control={control} value={tags} onChange={change} />}</Field>
}

const start = (): { last: () => readonly string[] } => {
  let last: readonly string[] = []
  renderUi(
    <Tags
      onTags={(tags) => {
        last = tags
      }}
    />,
  )
  return { last: () => last }
}

test('a tag input can have any number of tags (FORM-18)', () => {
  const wanted = Array.from({ length: 50 }, (_, index) => `t${index}`)
  const tags = wanted.reduce<readonly string[]>((before, tag) => afterKey('Enter', tag, before) ?? before, [])
  expect(tags).toEqual(wanted)
})

test('the same tag can be added twice', async () => {
  const { last } = start()
  await userEvent.type(screen.getByLabelText('Tags'), 'same{Enter}same{Enter}')
  expect(last()).toEqual(['same', 'same'])
})

test('spaces around a tag are removed, spaces alone are not a tag, and text that was not added stays in the input', async () => {
  const { last } = start()
  await userEvent.type(screen.getByLabelText('Tags'), '  a b {Enter}   {Enter}left')
  await userEvent.click(document.body)
  expect(last()).toEqual(['a b'])
  expect(screen.getByLabelText('Tags')).toHaveProperty('value', '   left')
})
