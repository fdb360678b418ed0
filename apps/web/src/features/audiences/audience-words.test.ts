import { expect, test } from 'vitest'
import { progressText, situationText, stateText } from './audience-words.ts'

test('an audience that is being computed shows its step, and the progress in whole percents', () => {
  expect(progressText({ step: 'waiting', share: null })).toBe('Step 1 of 3: waiting for its turn')
  expect(progressText({ step: 'events', share: null })).toBe('Step 2 of 3: reading events')
  expect(progressText({ step: 'events', share: 0.4567 })).toBe('Step 2 of 3: reading events, 45% read')
  expect(progressText({ step: 'events', share: 0.9999 })).toBe('Step 2 of 3: reading events, 99% read')
  expect(progressText({ step: 'profiles', share: null })).toBe('Step 3 of 3: deciding about profiles')
  expect(stateText({ state: 'computing', progress: { step: 'events', share: 0.4567 } })).toBe('Computing 45%')
  expect(stateText({ state: 'computing', progress: { step: 'profiles', share: null } })).toBe('Computing')
  expect(stateText({ state: 'live', progress: null })).toBe('Live')
})

test('an audience that is not kept current shows that, and which profiles are listed', () => {
  const progress = { step: 'profiles', share: null } as const
  expect(situationText({ state: 'preparing', progress: null, size: null })).toBe('Computing begins in a moment.')
  expect(situationText({ state: 'computing', progress, size: null })).toBe('Step 3 of 3: deciding about profiles.')
  expect(situationText({ state: 'computing', progress, size: 2 })).toContain('the profiles of the last time')
  expect(situationText({ state: 'paused', progress: null, size: 2 })).toBe(
    'No one enters or leaves until it is resumed.',
  )
  expect(situationText({ state: 'live', progress: null, size: 2 })).toBe('')
})
