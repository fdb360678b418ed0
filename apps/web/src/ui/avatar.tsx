import { UserRound } from 'lucide-react'
import { mediaUrl } from '../lib/api/media.ts'
import { initials } from '../lib/format/text.ts'
import { cn } from './cn.ts'

/** Twice the size of the largest avatar, for screens with a high pixel density. */
const picture = { maxHeight: 128, maxWidth: 128 } as const
const sizes = { sidebar: 'size-6 text-2xs', xs: 'size-5 text-2xs', sm: 'size-7 text-xs', md: 'size-9 text-sm' } as const
const rounds = { md: 'rounded-md', full: 'rounded-full' } as const
export const avatarSizes = Object.keys(sizes) as readonly (keyof typeof sizes)[]
export const avatarRounds = Object.keys(rounds) as readonly (keyof typeof rounds)[]
const hues = [237, 190, 155, 75, 25, 330, 290]

const hueOf = (title: string): number => {
  let sum = 0
  for (const character of title) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return hues[sum % hues.length] ?? 237
}

export type AvatarProps = {
  title?: string
  /** Path or URL of a picture; '' if there is none. */
  image?: string
  size?: keyof typeof sizes
  round?: keyof typeof rounds
  className?: string
}

/**
 * Shows a picture or, if there is none, the initials of the title. Without both, shows the icon of a person. The name
 * must be shown beside it.
 */
export const Avatar = ({ title = '', image, size = 'sm', round = 'full', className }: AvatarProps) => {
  const box = cn(
    'inline-grid shrink-0 place-items-center overflow-hidden font-semibold',
    sizes[size],
    rounds[round],
    className,
  )
  if (image !== undefined && image !== '')
    return <img src={mediaUrl(image, picture)} alt="" className={cn(box, 'object-cover')} />
  if (title.trim() === '')
    return (
      <span aria-hidden className={cn(box, 'bg-hover text-ink-3')}>
        <UserRound className="size-3/5" />
      </span>
    )
  const hue = hueOf(title)
  return (
    <span
      aria-hidden
      className={box}
      style={{
        background: `light-dark(oklch(0.93 0.04 ${hue}), oklch(0.33 0.06 ${hue}))`,
        color: `light-dark(oklch(0.4 0.09 ${hue}), oklch(0.88 0.07 ${hue}))`,
      }}
    >
      {initials(title)}
    </span>
  )
}
