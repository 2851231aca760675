import { Layout } from './layout.js'

/** What went wrong with a request, in a browser. */
export function ErrorPage({ status, message }: { status: number; message: string }) {
  return (
    <Layout title={TITLES[status] ?? 'Something went wrong'}>
      <div class="card narrow">
        <h1>{TITLES[status] ?? 'Something went wrong'}</h1>
        <p>{message}</p>
        <p>
          <a href="/">Go to the first page</a>
        </p>
      </div>
    </Layout>
  )
}

const TITLES: Record<number, string> = {
  400: 'This request is not valid',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not allowed',
  429: 'Too many requests',
}
