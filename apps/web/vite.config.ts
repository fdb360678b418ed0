import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { pages } from './src/lib/paths.ts'

const server = process.env.TRIBUTARY_DEV_SERVER ?? 'http://127.0.0.1:3000'

// `light-dark()` carries both themes of every colour token, so the style target must know it.
const cssTarget = ['chrome123', 'firefox120', 'safari17.5']

/** What is built: the application, or in the mode `kit` the page that shows every component, which is never shipped. */
const output = (mode: string) =>
  mode === 'kit'
    ? { outDir: '../../.cache/kit', rolldownOptions: { input: 'kit.html' }, chunkSizeWarningLimit: 1500 }
    : { outDir: 'dist' }

/** Writes down which pages there are, for the server. */
const pageList: Plugin = {
  name: 'page-list',
  apply: 'build',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: '.pages.json', source: JSON.stringify(pages) })
  },
}

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), pageList],
  build: { emptyOutDir: true, cssTarget, assetsInlineLimit: 0, chunkSizeWarningLimit: 900, ...output(mode) },
  server: {
    proxy: {
      // Sign-in compares the return address with the host that the browser has asked.
      '/api': { target: server, changeOrigin: false },
      '/dev': server,
      '/pusher': server,
      '/v1': server,
      '/media': server,
      '/ofrep': server,
      '/docs': server,
      '/app/': { target: server, ws: true },
    },
  },
}))
