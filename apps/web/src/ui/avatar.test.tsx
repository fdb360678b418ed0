// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { renderUi } from '../testing/render.tsx'
import { AppIcon } from './app-icon.tsx'
import { Avatar, avatarRounds, avatarSizes } from './avatar.tsx'

const classesOf = (container: HTMLElement): string[] => [...container.children].map(({ className }) => className)

test('UI-05: there are four sizes of an avatar, each with its own appearance', () => {
  expect(avatarSizes).toEqual(['sidebar', 'xs', 'sm', 'md'])
  const { container } = renderUi(avatarSizes.map((size) => <Avatar key={size} size={size} title="Jane Doe" />))
  expect(new Set(classesOf(container)).size).toBe(4)
})

test('UI-06: an avatar has round corners or is a circle', () => {
  expect(avatarRounds).toEqual(['md', 'full'])
  const { container } = renderUi(avatarRounds.map((round) => <Avatar key={round} round={round} title="Jane Doe" />))
  expect(classesOf(container).map((look) => /rounded-\w+/.exec(look)?.[0])).toEqual(['rounded-md', 'rounded-full'])
})

test('UI-07: an avatar without a picture shows the initials of its title', () => {
  expect(renderUi(<Avatar title="Jane Doe" />).container.textContent).toBe('JD')
})

test('UI-08: an avatar without picture and title shows a person', () => {
  const { container } = renderUi(<Avatar />)
  expect(container.textContent).toBe('')
  expect(container.querySelector('svg.lucide-user-round')).not.toBeNull()
})

test('an avatar with a picture shows it', () => {
  const { container } = renderUi(<Avatar title="Jane Doe" image="/media/a.webp" />)
  expect(container.querySelector('img')?.getAttribute('src')).toMatch(/^\/media\/a\.webp\?/)
})

test('the picture of an app is requested at 32 by 32 at most, and an inline picture stays unchanged (UI-43)', () => {
  const { container } = renderUi(
    <>
      <AppIcon icon="icons/shop.png" />
      <AppIcon icon="data:image/svg+xml,x" />
    </>,
  )
  expect([...container.querySelectorAll('img')].map((image) => image.getAttribute('src'))).toEqual([
    '/icons/shop.png?max-h=32&max-w=32',
    'data:image/svg+xml,x',
  ])
})
