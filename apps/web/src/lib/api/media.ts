import { withoutEnd } from '@tributary/kernel/text-ends'

/** Where relative media paths lie: below this path of the same origin unless the build was given another address. */
const configured = {
  base: import.meta.env.VITE_MEDIA_BASE ?? '/',
  buildHash: import.meta.env.VITE_BUILD_HASH ?? '',
}

/** The maximum sides (CSS pixels) of a requested picture. */
export type MediaSize = { maxHeight: number; maxWidth: number }

/**
 * The URL of a picture. A path is put after the base address; a complete URL (http…, data:, blob:) stays unchanged.
 * With a size, the URL asks for a picture no larger than that. With a build hash, it has the hash, so that an old cache
 * does not answer a new build. Without a path, it is empty.
 */
export const mediaUrl = (
  path: string,
  size?: MediaSize,
  { base, buildHash }: { base: string; buildHash: string } = configured,
): string => {
  if (path === '' || /^(http|data:|blob:)/i.test(path)) return path
  const query = new URLSearchParams()
  if (size !== undefined) {
    query.set('max-h', String(size.maxHeight))
    query.set('max-w', String(size.maxWidth))
    if (buildHash !== '') query.set('hash', buildHash)
  }
  const address = `${withoutEnd(base, '/')}/${path.replace(/^\/+/, '')}`
  const text = query.toString()
  return text === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${text}`
}
