import { expect, test } from 'vitest'
import { createForm, isField, type Rules, valueOf } from './form-state.ts'

type Form = { title: string; settings: Record<string, string> }

const needed: Rules<Form> = async (values) => {
  const problems = {
    ...(values.title === '' ? { title: 'Required' } : {}),
    ...(values.settings['a.url'] === '' ? { 'settings.a.url': 'No URL' } : {}),
  }
  return Object.keys(problems).length === 0 ? { values } : { problems }
}
const empty = { title: '', settings: { 'a.url': '' } }
const accept = () => Promise.resolve(undefined)
/** Resolves after all pending validations have been reported. */
const settled = () => new Promise((resolve) => setImmediate(resolve))
const messages = (form: ReturnType<typeof createForm<Form>>) =>
  Object.fromEntries(Object.entries(form.read().problems).map(([name, { message }]) => [name, message]))

test('before the first submit, no problem is shown; an invalid submit shows all problems and does not call', async () => {
  const form = createForm(empty, needed)
  form.change('title', '')
  await settled()
  expect(messages(form)).toEqual({})
  let calls = 0
  await form.submit(() => {
    calls += 1
    return accept()
  })
  expect(messages(form)).toEqual({ title: 'Required', 'settings.a.url': 'No URL' })
  expect([calls, form.read().submits, form.read().submitting]).toEqual([0, 1, false])
})

test('after the first submit, a change validates only its own field', async () => {
  const form = createForm(empty, needed)
  await form.submit(accept)
  form.change('title', 'x')
  await settled()
  expect(messages(form)).toEqual({ 'settings.a.url': 'No URL' })
  form.change('title', '')
  await settled()
  expect(messages(form)).toEqual({ 'settings.a.url': 'No URL', title: 'Required' })
})

test('two fields that change at the same time are both reported', async () => {
  const form = createForm({ title: 'x', settings: { 'a.url': 'y' } }, needed)
  await form.submit(accept)
  form.change('title', '')
  form.change('settings.a.url', '')
  await settled()
  expect(messages(form)).toEqual({ title: 'Required', 'settings.a.url': 'No URL' })
})

test('the result of validating values that have changed since then is not shown', async () => {
  const waiting: (() => void)[] = []
  const form = createForm<Form>(empty, async (values) => {
    if (values.title === 'slow') await new Promise<void>((resolve) => waiting.push(resolve))
    return values.title === 'good' ? { values } : { problems: { title: `not ${values.title}` } }
  })
  await form.submit(accept)
  form.change('title', 'slow')
  form.change('title', 'good')
  await settled()
  waiting[0]?.()
  await settled()
  expect(messages(form)).toEqual({})
})

test('an error of the call is shown until the next submit, and an error of a field until the field changes', async () => {
  const form = createForm({ title: 'x', settings: {} }, needed)
  const problems = { title: { message: 'Taken', code: '400' } }
  const failure = { message: 'Full', code: '402' }
  await form.submit(() => Promise.resolve({ problems, failure }))
  expect(form.read()).toMatchObject({ problems, failure, submitting: false })
  form.change('title', 'y')
  await settled()
  expect(form.read()).toMatchObject({ problems: {}, failure })
  await form.submit(accept)
  expect(form.read()).toMatchObject({ problems: {}, failure: undefined, submits: 2 })
})

test('the call gets the result of the validation, and replaced validation rules apply', async () => {
  const form = createForm({ title: ' x ', settings: {} }, needed)
  form.follow(async (values) => ({ values: { ...values, title: values.title.trim() } }))
  let sent: Form | undefined
  await form.submit((values) => {
    sent = values
    return accept()
  })
  expect(sent?.title).toBe('x')
})

test('a field in a group is named by everything after the first dot, and a group is not a field', () => {
  const form = createForm(empty, needed)
  form.change('settings.a.url', 'https://example.com')
  expect(form.read().values).toEqual({ title: '', settings: { 'a.url': 'https://example.com' } })
  expect(valueOf(form.read().values, 'settings.a.url')).toBe('https://example.com')
  const names = ['title', 'settings', 'settings.a.url', 'title.a', 'other', 'constructor']
  expect(names.filter((name) => isField(empty, name))).toEqual(['title', 'settings.a.url'])
})

test('a second submit during the first does nothing, and the next submit after it calls again', async () => {
  const form = createForm({ title: 'x', settings: { 'a.url': 'y' } }, needed)
  const answer = Promise.withResolvers<undefined>()
  let calls = 0
  const call = () => {
    calls += 1
    return answer.promise
  }
  const first = form.submit(call)
  await form.submit(call)
  answer.resolve(undefined)
  await first
  expect([calls, form.read().submits]).toEqual([1, 1])
  await form.submit(call)
  expect(calls).toBe(2)
})
