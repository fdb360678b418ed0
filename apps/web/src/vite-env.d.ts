/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Address that relative media paths are put behind; the origin's root when it is not given. */
  readonly VITE_MEDIA_BASE?: string
  /** What tells this build from others in the addresses of pictures. */
  readonly VITE_BUILD_HASH?: string
}
