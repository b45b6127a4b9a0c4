import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, type Packet, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet';

export interface ServerQuestion {
  type: string;
  name: string;
  via: 'udp' | 'tcp';
  /** How often this question was asked before over this transport. */
  asked: number;
  /** True if the question had an OPT record. */
  edns: boolean;
}

/** An answer to the question, by default an empty NOERROR. */
export interface ScriptedAnswer {
  code?: keyof typeof codes;
  answers?: Answer[];
  authorities?: Answer[];
  /** A wrong id or name, as a forger would send. */
  id?: number;
  question?: string;
}

/** What the server does with a question; `silence` never answers. */
export type ServerReply =
  | 'silence'
  | 'truncated'
  | 'garbage'
  | 'hang_up'
  | { bytes: (query: Buffer) => Buffer }
  | ScriptedAnswer
  | { after: Promise<unknown>; reply: ServerReply };

const codes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, NOTAUTH: 9 };

export interface DnsServer {
  /** `127.0.0.1:PORT` */
  address: string;
  /** The questions in order, for example `MX example.com udp`. */
  questions: string[];
  close(): Promise<void>;
}

/** A DNS server on loopback, UDP and TCP on one port, that answers by the script. */
export async function startDnsServer(script: (question: ServerQuestion) => ServerReply): Promise<DnsServer> {
  const questions: string[] = [];
  const connections = new Set<Socket>();
  const { udp, tcp } = await bindBoth();

  const answer = async (query: Buffer, via: 'udp' | 'tcp', send: (bytes: Buffer) => void, hangUp: () => void) => {
    const packet = decode(query);
    const question = packet.questions?.[0];
    const line = `${question?.type} ${question?.name} ${via}`;
    const asked = questions.filter((earlier) => earlier === line).length;
    questions.push(line);
    const edns = packet.additionals?.some(({ type }) => type === 'OPT') ?? false;
    let reply = script({ type: question?.type ?? '', name: question?.name ?? '', via, asked, edns });
    while (typeof reply === 'object' && 'after' in reply) {
      await reply.after;
      reply = reply.reply;
    }
    if (reply === 'silence') return;
    if (reply === 'hang_up') hangUp();
    else send(typeof reply === 'object' && 'bytes' in reply ? reply.bytes(query) : encodeReply(packet, reply));
  };
  udp.on('message', (query: Buffer, from: RemoteInfo) => {
    void answer(
      query,
      'udp',
      (bytes) => udp.send(bytes, from.port, from.address),
      () => undefined,
    );
  });
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const send = (bytes: Buffer) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        // In two pieces, as the network may deliver it.
        const whole = Buffer.concat([length, bytes]);
        socket.write(whole.subarray(0, 1));
        setImmediate(() => socket.write(whole.subarray(1)));
      };
      void answer(chunk.subarray(2), 'tcp', send, () => socket.destroy());
    });
  });

  return {
    address: `127.0.0.1:${udp.address().port}`,
    questions,
    close: async () => {
      for (const socket of connections) socket.destroy();
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

async function bindBoth() {
  for (;;) {
    const udp = createSocket('udp4');
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const tcp = createServer();
    tcp.listen(udp.address().port, '127.0.0.1');
    // `once` rejects if an error comes first: another process has the port.
    const bound = await once(tcp, 'listening').then(
      () => true,
      () => false,
    );
    if (bound) return { udp, tcp };
    udp.close();
  }
}

function encodeReply(packet: Packet, reply: ScriptedAnswer | 'truncated' | 'garbage'): Buffer {
  const questions = packet.questions ?? [];
  const base = { type: 'response' as const, id: packet.id ?? 0, questions };
  if (reply === 'truncated') return encode({ ...base, flags: RECURSION_AVAILABLE | TRUNCATED_RESPONSE });
  if (reply === 'garbage') {
    // The id and question of the query, then an answer that reaches past the end.
    const bytes = Buffer.concat([encode(base), Buffer.from([0xc0, 0x0c, 0, 15, 0, 1, 0, 0, 0, 60, 0xff, 0xff, 1])]);
    bytes.writeUInt16BE(1, 6);
    return bytes;
  }
  return encode({
    ...base,
    id: reply.id ?? base.id,
    questions: questions.map((question) => ({ ...question, name: reply.question ?? question.name })),
    flags: RECURSION_AVAILABLE | codes[reply.code ?? 'NOERROR'],
    answers: reply.answers ?? [],
    authorities: reply.authorities ?? [],
  });
}
