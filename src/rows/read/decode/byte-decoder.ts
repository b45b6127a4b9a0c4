import { bufferOf } from './decoder.js';

/** The characters of 0x80 … 0xFF in encodings of DOS that TextDecoder does not have. */
const tables: Readonly<Record<string, string>> = {
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
};

/** Decodes complete characters; throws for invalid bytes. */
export interface ByteDecoder {
  decode(bytes: Uint8Array): string;
}

/** True for an encoding that only `createByteDecoder` knows. */
export function isDosEncoding(encoding: string): boolean {
  return Object.hasOwn(tables, encoding);
}

export function createByteDecoder(encoding: string): ByteDecoder {
  const table = tables[encoding];
  if (table === undefined) return new TextDecoder(encoding, { fatal: true });
  return {
    decode: (bytes) =>
      bufferOf(bytes)
        .toString('latin1')
        .replace(/[\x80-\xff]/g, (char) => table.charAt(char.charCodeAt(0) - 0x80)),
  };
}
