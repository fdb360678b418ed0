import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { docsHeaders } from './security-headers.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tributary API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<noscript>The description of the API is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null, docExpansion: 'list', defaultModelsExpandDepth: -1 })
`

/**
 * Serves the documentation page at `docs` with all files that it loads, so that it needs no other hosts. The folder
 * `assetsDir` has the files of swagger-ui-dist; each file is read on its first request.
 */
export const registerDocs = (app: FastifyInstance, assetsDir: string): void => {
  const kept = new Map<string, Promise<Buffer>>()
  const asset = (name: string): Promise<Buffer> => {
    const content = kept.get(name) ?? readFile(join(assetsDir, name))
    kept.set(name, content)
    return content
  }
  const cached = { ...docsHeaders, 'cache-control': 'public, max-age=3600' }
  app.get('/docs', async (_, reply) => reply.headers(docsHeaders).type('text/html; charset=utf-8').send(page))
  app.get('/docs/start.js', async (_, reply) =>
    reply.headers(docsHeaders).type('text/javascript; charset=utf-8').send(start),
  )
  app.get('/docs/swagger-ui.css', async (_, reply) =>
    reply
      .headers(cached)
      .type('text/css; charset=utf-8')
      .send(await asset('swagger-ui.css')),
  )
  app.get('/docs/swagger-ui-bundle.js', async (_, reply) =>
    reply
      .headers(cached)
      .type('text/javascript; charset=utf-8')
      .send(await asset('swagger-ui-bundle.js')),
  )
}
